//go:build linux && cgo

package seccomp

import (
	"fmt"
	"io"
	"os"

	lib "github.com/seccomp/libseccomp-golang"
	"golang.org/x/sys/unix"
)

// compileNumbers makes libseccomp's program that decides by number: what is not in verdicts is
// ENOSYS, another architecture is killed. It returns the calls that this libseccomp does not know.
func compileNumbers(a arch, verdicts []verdict, optimize int) (prog []byte, newer []verdict, err error) {
	token, err := lib.GetArchFromString(a.name)
	if err != nil {
		return nil, nil, err
	}
	filter, err := newFilter(token, optimize)
	if err != nil {
		return nil, nil, err
	}
	defer filter.Release()

	for _, v := range verdicts {
		number, err := lib.GetSyscallFromNameByArch(v.name, token)
		if err != nil || number < 0 {
			newer = append(newer, v)
			continue
		}
		if int(number) != v.number {
			return nil, nil, fmt.Errorf("number of %q: %d in libseccomp, %d in the kernel's headers", v.name, number, v.number)
		}
		if v.errno == unix.ENOSYS {
			continue // the default action; libseccomp refuses rules that say nothing
		}
		// A rule takes the native number, or a pseudo number for a call that the native
		// architecture lacks, and translates it for the filter's architecture.
		native, err := lib.GetSyscallFromName(v.name)
		if err != nil {
			return nil, nil, fmt.Errorf("resolve %q: %w", v.name, err)
		}
		do := lib.ActAllow
		if v.errno != 0 {
			do = lib.ActErrno.SetReturnCode(int16(v.errno))
		}
		if err := filter.AddRule(native, do); err != nil {
			return nil, nil, fmt.Errorf("add rule for %q: %w", v.name, err)
		}
	}
	prog, err = export(filter)
	return prog, newer, err
}

func newFilter(token lib.ScmpArch, optimize int) (*lib.ScmpFilter, error) {
	filter, err := lib.NewFilter(lib.ActErrno.SetReturnCode(int16(unix.ENOSYS)))
	if err != nil {
		return nil, err
	}
	err = filter.SetBadArchAction(lib.ActKillProcess)
	if err == nil {
		err = filter.SetOptimize(optimize)
	}
	if err == nil {
		err = filter.AddArch(token)
	}
	native, e := lib.GetNativeArch()
	if err == nil && e == nil && native != token {
		err = filter.RemoveArch(native)
	}
	if err == nil {
		err = e
	}
	if err != nil {
		filter.Release()
		return nil, err
	}
	return filter, nil
}

func export(filter *lib.ScmpFilter) ([]byte, error) {
	fd, err := unix.MemfdCreate("seccomp", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("memfd_create", err)
	}
	f := os.NewFile(uintptr(fd), "seccomp")
	defer f.Close()
	if err := filter.ExportBPF(f); err != nil {
		return nil, fmt.Errorf("export program: %w", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}
