// SPDX-License-Identifier: Apache-2.0
// Callbacks of the OTF2 library for the records of a location.

#include <memory>

#include "interchange/otf2_handles.h"
#include "interchange/otf2_location.h"

namespace parcast::interchange {
namespace {

constexpr std::uint64_t kAtOnce = 16384;

using Time = OTF2_TimeStamp;
using List = OTF2_AttributeList*;

LocationReader& seen(void* data, Time time) {
  auto& reader = *static_cast<LocationReader*>(data);
  reader.see(time);
  return reader;
}

OTF2_CallbackCode enter(OTF2_LocationRef, Time time, std::uint64_t, void* data, List list,
                        OTF2_RegionRef region) {
  seen(data, time).enter(time, region, list);
  return kGoOn;
}

OTF2_CallbackCode leave(OTF2_LocationRef, Time time, std::uint64_t, void* data, List list,
                        OTF2_RegionRef region) {
  seen(data, time).leave(time, region, list);
  return kGoOn;
}

OTF2_CallbackCode enter_context(OTF2_LocationRef, Time time, std::uint64_t, void* data, List list,
                                OTF2_CallingContextRef context, std::uint32_t) {
  LocationReader& reader = seen(data, time);
  reader.enter(time, reader.region_of(context), list);
  return kGoOn;
}

OTF2_CallbackCode leave_context(OTF2_LocationRef, Time time, std::uint64_t, void* data, List list,
                                OTF2_CallingContextRef context) {
  LocationReader& reader = seen(data, time);
  reader.leave(time, reader.region_of(context), list);
  return kGoOn;
}

OTF2_CallbackCode send(OTF2_LocationRef, Time time, std::uint64_t, void* data, List, std::uint32_t to,
                       OTF2_CommRef in, std::uint32_t tag, std::uint64_t bytes) {
  seen(data, time).send(in, to, tag, bytes);
  return kGoOn;
}

OTF2_CallbackCode start_send(OTF2_LocationRef, Time time, std::uint64_t, void* data, List, std::uint32_t to,
                             OTF2_CommRef in, std::uint32_t tag, std::uint64_t bytes, std::uint64_t request) {
  seen(data, time).start_send(in, to, tag, bytes, request);
  return kGoOn;
}

OTF2_CallbackCode complete(OTF2_LocationRef, Time time, std::uint64_t, void* data, List,
                           std::uint64_t request) {
  seen(data, time).complete(request);
  return kGoOn;
}

OTF2_CallbackCode start_receive(OTF2_LocationRef, Time time, std::uint64_t, void* data, List list,
                                std::uint64_t request) {
  seen(data, time).start_receive(request, list);
  return kGoOn;
}

OTF2_CallbackCode receive(OTF2_LocationRef, Time time, std::uint64_t, void* data, List, std::uint32_t from,
                          OTF2_CommRef in, std::uint32_t tag, std::uint64_t bytes) {
  seen(data, time).receive(in, from, tag, bytes);
  return kGoOn;
}

OTF2_CallbackCode complete_receive(OTF2_LocationRef, Time time, std::uint64_t, void* data, List,
                                   std::uint32_t from, OTF2_CommRef in, std::uint32_t tag,
                                   std::uint64_t bytes, std::uint64_t request) {
  seen(data, time).complete_receive(in, from, tag, bytes, request);
  return kGoOn;
}

OTF2_CallbackCode cancel(OTF2_LocationRef, Time time, std::uint64_t, void* data, List list,
                         std::uint64_t request) {
  seen(data, time).cancel(request, list);
  return kGoOn;
}

OTF2_CallbackCode collective(OTF2_LocationRef, Time time, std::uint64_t, void* data, List,
                             OTF2_CollectiveOp operation, OTF2_CommRef in, std::uint32_t root,
                             std::uint64_t sent, std::uint64_t received) {
  seen(data, time).collective(operation, in, root, {sent, received});
  return kGoOn;
}

OTF2_CallbackCode start_collective(OTF2_LocationRef, Time time, std::uint64_t, void* data, List list,
                                   std::uint64_t request) {
  seen(data, time).start_collective(request, list);
  return kGoOn;
}

OTF2_CallbackCode complete_collective(OTF2_LocationRef, Time time, std::uint64_t, void* data, List,
                                      OTF2_CollectiveOp operation, OTF2_CommRef in, std::uint32_t root,
                                      std::uint64_t sent, std::uint64_t received, std::uint64_t request) {
  seen(data, time).complete_collective(operation, in, root, {sent, received}, request);
  return kGoOn;
}

OTF2_CallbackCode put(OTF2_LocationRef, Time time, std::uint64_t, void* data, List, OTF2_RmaWinRef window,
                      std::uint32_t remote, std::uint64_t bytes, std::uint64_t id) {
  seen(data, time).access(window, remote, bytes, std::nullopt, id);
  return kGoOn;
}

OTF2_CallbackCode get(OTF2_LocationRef, Time time, std::uint64_t, void* data, List, OTF2_RmaWinRef window,
                      std::uint32_t remote, std::uint64_t bytes, std::uint64_t id) {
  seen(data, time).access(window, remote, std::nullopt, bytes, id);
  return kGoOn;
}

OTF2_CallbackCode change(OTF2_LocationRef, Time time, std::uint64_t, void* data, List, OTF2_RmaWinRef window,
                         std::uint32_t remote, OTF2_RmaAtomicType, std::uint64_t sent, std::uint64_t received,
                         std::uint64_t id) {
  const auto side = [](std::uint64_t bytes) { return bytes > 0 ? std::optional(bytes) : std::nullopt; };
  seen(data, time).access(window, remote, sent, side(received), id);
  return kGoOn;
}

OTF2_CallbackCode complete_access(OTF2_LocationRef, Time time, std::uint64_t, void* data, List,
                                  OTF2_RmaWinRef, std::uint64_t id) {
  seen(data, time).complete_access(id);
  return kGoOn;
}

OTF2_CallbackCode begin_file(OTF2_LocationRef, Time time, std::uint64_t, void* data, List, OTF2_IoHandleRef,
                             OTF2_IoOperationMode mode, OTF2_IoOperationFlag, std::uint64_t bytes,
                             std::uint64_t id) {
  LocationReader& reader = seen(data, time);
  if (mode != OTF2_IO_OPERATION_MODE_FLUSH)
    reader.begin_file_access(mode == OTF2_IO_OPERATION_MODE_WRITE, bytes, id);
  return kGoOn;
}

OTF2_CallbackCode end_file(OTF2_LocationRef, Time time, std::uint64_t, void* data, List, OTF2_IoHandleRef,
                           std::uint64_t bytes, std::uint64_t id) {
  seen(data, time).end_file_access(bytes, id);
  return kGoOn;
}

OTF2_CallbackCode pause(OTF2_LocationRef, Time time, std::uint64_t, void* data, List, Time until) {
  seen(data, time).pause(time, until);
  return kGoOn;
}

OTF2_CallbackCode begin_program(OTF2_LocationRef, Time time, std::uint64_t, void* data, List,
                                OTF2_StringRef name, std::uint32_t count, const OTF2_StringRef* arguments) {
  seen(data, time).begin_program(name, count, arguments);
  return kGoOn;
}

/// Handles a record that adds nothing to the information of others.
template <class... Rest>
OTF2_CallbackCode passed(OTF2_LocationRef, Time time, std::uint64_t, void* data, List, Rest...) {
  seen(data, time);
  return kGoOn;
}

template <const char* Kind, class... Rest>
OTF2_CallbackCode left_out(OTF2_LocationRef, Time time, std::uint64_t, void* data, List, Rest...) {
  seen(data, time).leave_out(Kind);
  return kGoOn;
}

struct DeleteEventCallbacks {
  void operator()(OTF2_EvtReaderCallbacks* callbacks) const { OTF2_EvtReaderCallbacks_Delete(callbacks); }
};
using Callbacks = std::unique_ptr<OTF2_EvtReaderCallbacks, DeleteEventCallbacks>;

void set_taken(OTF2_EvtReaderCallbacks* to) {
  OTF2_EvtReaderCallbacks_SetEnterCallback(to, enter);
  OTF2_EvtReaderCallbacks_SetLeaveCallback(to, leave);
  OTF2_EvtReaderCallbacks_SetCallingContextEnterCallback(to, enter_context);
  OTF2_EvtReaderCallbacks_SetCallingContextLeaveCallback(to, leave_context);
  OTF2_EvtReaderCallbacks_SetMpiSendCallback(to, send);
  OTF2_EvtReaderCallbacks_SetMpiIsendCallback(to, start_send);
  OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(to, complete);
  OTF2_EvtReaderCallbacks_SetMpiRecvCallback(to, receive);
  OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(to, start_receive);
  OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(to, complete_receive);
  OTF2_EvtReaderCallbacks_SetMpiRequestCancelledCallback(to, cancel);
  OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(to, collective);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(to, start_collective);
  OTF2_EvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(to, complete_collective);
  OTF2_EvtReaderCallbacks_SetRmaPutCallback(to, put);
  OTF2_EvtReaderCallbacks_SetRmaGetCallback(to, get);
  OTF2_EvtReaderCallbacks_SetRmaAtomicCallback(to, change);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(to, complete_access);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(to, complete_access);
  OTF2_EvtReaderCallbacks_SetIoOperationBeginCallback(to, begin_file);
  OTF2_EvtReaderCallbacks_SetIoOperationCompleteCallback(to, end_file);
  OTF2_EvtReaderCallbacks_SetBufferFlushCallback(to, pause);
  OTF2_EvtReaderCallbacks_SetProgramBeginCallback(to, begin_program);
}

void set_passed(OTF2_EvtReaderCallbacks* to) {
  OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(to, passed);
  OTF2_EvtReaderCallbacks_SetMpiRequestTestCallback(to, passed);
  OTF2_EvtReaderCallbacks_SetRmaCollectiveBeginCallback(to, passed);
  OTF2_EvtReaderCallbacks_SetRmaOpTestCallback(to, passed);
  OTF2_EvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(to, passed);
  OTF2_EvtReaderCallbacks_SetIoOperationIssuedCallback(to, passed);
  OTF2_EvtReaderCallbacks_SetIoOperationTestCallback(to, passed);
  OTF2_EvtReaderCallbacks_SetProgramEndCallback(to, passed);
}

#define LEFT_OUT(Kind)                                               \
  do {                                                               \
    static constexpr char name[] = #Kind;                            \
    OTF2_EvtReaderCallbacks_Set##Kind##Callback(to, left_out<name>); \
  } while (false)

void set_left_out(OTF2_EvtReaderCallbacks* to) {
  LEFT_OUT(Unknown);
  LEFT_OUT(MeasurementOnOff);
  LEFT_OUT(Metric);
  LEFT_OUT(CallingContextSample);
  LEFT_OUT(ParameterInt);
  LEFT_OUT(ParameterUnsignedInt);
  LEFT_OUT(ParameterString);
  LEFT_OUT(ThreadFork);
  LEFT_OUT(ThreadJoin);
  LEFT_OUT(ThreadTeamBegin);
  LEFT_OUT(ThreadTeamEnd);
  LEFT_OUT(ThreadAcquireLock);
  LEFT_OUT(ThreadReleaseLock);
  LEFT_OUT(ThreadTaskCreate);
  LEFT_OUT(ThreadTaskSwitch);
  LEFT_OUT(ThreadTaskComplete);
  LEFT_OUT(ThreadCreate);
  LEFT_OUT(ThreadBegin);
  LEFT_OUT(ThreadWait);
  LEFT_OUT(ThreadEnd);
  LEFT_OUT(OmpFork);
  LEFT_OUT(OmpJoin);
  LEFT_OUT(OmpAcquireLock);
  LEFT_OUT(OmpReleaseLock);
  LEFT_OUT(OmpTaskCreate);
  LEFT_OUT(OmpTaskSwitch);
  LEFT_OUT(OmpTaskComplete);
  LEFT_OUT(CommCreate);
  LEFT_OUT(CommDestroy);
}

void set_left_out_of_files_and_windows(OTF2_EvtReaderCallbacks* to) {
  LEFT_OUT(RmaWinCreate);
  LEFT_OUT(RmaWinDestroy);
  LEFT_OUT(RmaCollectiveEnd);
  LEFT_OUT(RmaGroupSync);
  LEFT_OUT(RmaRequestLock);
  LEFT_OUT(RmaAcquireLock);
  LEFT_OUT(RmaTryLock);
  LEFT_OUT(RmaReleaseLock);
  LEFT_OUT(RmaSync);
  LEFT_OUT(RmaWaitChange);
  LEFT_OUT(IoCreateHandle);
  LEFT_OUT(IoDestroyHandle);
  LEFT_OUT(IoDuplicateHandle);
  LEFT_OUT(IoSeek);
  LEFT_OUT(IoChangeStatusFlags);
  LEFT_OUT(IoDeleteFile);
  LEFT_OUT(IoOperationCancelled);
  LEFT_OUT(IoAcquireLock);
  LEFT_OUT(IoReleaseLock);
  LEFT_OUT(IoTryLock);
}

Callbacks all_callbacks() {
  Callbacks out(OTF2_EvtReaderCallbacks_New());
  if (!out) return out;
  set_taken(out.get());
  set_passed(out.get());
  set_left_out(out.get());
  set_left_out_of_files_and_windows(out.get());
  return out;
}

std::string described(OTF2_ErrorCode code) {
  const char* why = OTF2_Error_GetDescription(code);
  return why ? why : "the library gives no reason";
}

}  // namespace

std::string read_location(OTF2_Reader* reader, OTF2_LocationRef location, std::uint64_t records,
                          LocationReader& into, const std::function<void()>& each_so_many) {
  const Callbacks callbacks = all_callbacks();
  OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader, location);
  if (!events || !callbacks) return "its file cannot be opened";
  OTF2_ErrorCode code = OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks.get(), &into);
  std::uint64_t done = 0;
  while (code == OTF2_SUCCESS && done < records) {
    std::uint64_t read = 0;
    code = OTF2_Reader_ReadLocalEvents(reader, events, kAtOnce, &read);
    done += read;
    each_so_many();
    if (read < kAtOnce) break;
  }
  OTF2_Reader_CloseEvtReader(reader, events);
  if (code != OTF2_SUCCESS) return described(code);
  return done == records ? ""
                         : "it has " + std::to_string(done) + " of " + std::to_string(records) + " records";
}

}  // namespace parcast::interchange
