package launch

// #include <stdlib.h>
// extern int confine_plan_check(const void *base, size_t size);
// extern void confine_plan_sizes(unsigned sizes[5]);
import "C"

import "unsafe"

// valid reports whether the launcher would obey block: what its C code checks,
// called from Go so that tests and fuzzing reach it.
func valid(block []byte) bool {
	if len(block) == 0 {
		return false
	}
	// the launcher maps the plan at a page, so the copy is aligned as there
	p := C.CBytes(block)
	defer C.free(p)
	return C.confine_plan_check(p, C.size_t(len(block))) == 0
}

// cSizes returns the C compiler's sizes of the header, an operation, a
// descriptor pair, a resource limit and a message.
func cSizes() (sizes [5]uint32) {
	C.confine_plan_sizes((*C.uint)(unsafe.Pointer(&sizes[0])))
	return sizes
}
