// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <otf2/otf2.h>

#include <cstdarg>
#include <cstdint>

namespace parcast::interchange {

inline constexpr OTF2_CallbackCode kGoOn = OTF2_CALLBACK_SUCCESS;

struct CloseReader {
  void operator()(OTF2_Reader* reader) const { OTF2_Reader_Close(reader); }
};

/// For OTF2_Error_RegisterCallback: OTF2 prints nothing.
inline OTF2_ErrorCode silent(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code, const char*,
                             va_list) {
  return code;
}

}  // namespace parcast::interchange
