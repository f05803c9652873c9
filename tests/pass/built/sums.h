// SPDX-License-Identifier: Apache-2.0
#ifdef __cplusplus
extern "C" {
#endif
long every(const unsigned char* bits, long n);
long third(const unsigned char* bits, long n);
#ifdef __cplusplus
}
#endif
