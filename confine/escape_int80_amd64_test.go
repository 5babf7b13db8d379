package confine_test

import (
	"encoding/binary"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// int80 makes a system call with the i386 convention, whose numbers mean other
// calls than a filter for amd64 expects. It returns what the kernel answered.
func int80(nr uint32) (int32, error) {
	var result int32
	code := []byte{0x53, 0xb8} // push rbx; mov eax, nr
	code = binary.LittleEndian.AppendUint32(code, nr)
	code = append(code, 0xcd, 0x80, 0x5b, 0x48, 0xb9) // int 0x80; pop rbx; mov rcx, &result
	code = binary.LittleEndian.AppendUint64(code, uint64(uintptr(unsafe.Pointer(&result))))
	code = append(code, 0x89, 0x01, 0xc3) // mov [rcx], eax; ret
	page, err := unix.Mmap(-1, 0, unix.Getpagesize(), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANONYMOUS)
	if err != nil {
		return 0, err
	}
	copy(page, code)
	if err := unix.Mprotect(page, unix.PROT_READ|unix.PROT_EXEC); err != nil {
		return 0, err
	}
	entry := &page[0]
	function := &entry // a Go function value points to a word that holds its entry
	(*(*func())(unsafe.Pointer(&function)))()
	runtime.KeepAlive(page)
	return result, nil
}
