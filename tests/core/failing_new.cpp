// Preloaded into Python: operator new of the whole process, whose n-th call from thresher's
// compiled module fails when told so.
//
//   thresher_fail_at(n): from now on, n calls succeed and the next one fails; a negative n: none
//   does thresher_calls(): calls since then
#include <link.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace {

std::atomic<std::int64_t> calls = 0;
std::atomic<std::int64_t> failing = -1;
std::uintptr_t module_begin = 0, module_end = 0;

// Notes where the code of the module lies; other libraries of the process are not under test.
int find_module(dl_phdr_info* library, std::size_t, void*) {
  if (!std::strstr(library->dlpi_name, "thresher/_core.")) return 0;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr) & part = library->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
    module_begin = library->dlpi_addr + part.p_vaddr;
    module_end = module_begin + part.p_memsz;
  }
  return 1;
}

void* allocate(std::size_t size, const void* caller) {
  const auto place = reinterpret_cast<std::uintptr_t>(caller);
  if (place >= module_begin && place < module_end && calls++ == failing) return nullptr;
  return std::malloc(size ? size : 1);
}
void* allocate_or_throw(std::size_t size, const void* caller) {
  if (void* place = allocate(size, caller)) return place;
  throw std::bad_alloc();
}

}  // namespace

extern "C" void thresher_fail_at(std::int64_t n) {
  if (module_begin == 0) dl_iterate_phdr(find_module, nullptr);
  calls = 0;
  failing = n;
}
extern "C" std::int64_t thresher_calls() { return calls; }

void* operator new(std::size_t size) {
  return allocate_or_throw(size, __builtin_return_address(0));
}
void* operator new[](std::size_t size) {
  return allocate_or_throw(size, __builtin_return_address(0));
}
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, __builtin_return_address(0));
}
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, __builtin_return_address(0));
}
void operator delete(void* place) noexcept { std::free(place); }
void operator delete[](void* place) noexcept { std::free(place); }
void operator delete(void* place, std::size_t) noexcept { std::free(place); }
void operator delete[](void* place, std::size_t) noexcept { std::free(place); }
void operator delete(void* place, const std::nothrow_t&) noexcept { std::free(place); }
void operator delete[](void* place, const std::nothrow_t&) noexcept { std::free(place); }
