package confine

import (
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"

	"confine/confine/internal/launch"
)

// descriptors places the launcher's descriptors and returns those beyond the
// standard streams.
func (r *run) descriptors(plan *compiled) ([]*os.File, error) {
	var files []*os.File
	add := func(f *os.File) int32 {
		files = append(files, f)
		return int32(launch.FirstFile + len(files) - 1)
	}
	if plan.ruleset != nil {
		plan.plan.LandlockFD = add(plan.ruleset)
	}
	if !slices.ContainsFunc(r.streams.files[:], isTerminal) {
		// not at a terminal: /dev/tty would be the caller's, who means to keep it
		plan.plan.Flags |= launch.NewSession
		r.tty.close()
		r.tty = nil
	}
	if r.tty != nil {
		plan.plan.TTYFD = add(r.tty.file)
		if r.tty.lent {
			plan.plan.Flags |= launch.Foreground
		}
	}
	fds := []launch.FD{{Src: 0, Dst: 0}, {Src: 1, Dst: 1}, {Src: 2, Dst: 2}}
	for i, f := range r.cmd.ExtraFiles {
		if err := refuseFolder(f); err != nil {
			return nil, err
		}
		fds = append(fds, launch.FD{Src: add(f), Dst: int32(3 + i)})
	}
	for _, fd := range r.cmd.KeepFDs {
		if fd < 3 {
			continue // a standard stream
		}
		if err := refuseFolderFD(fd, fmt.Sprintf("descriptor %d", fd)); err != nil {
			return nil, err
		}
		dup, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return nil, os.NewSyscallError("dup", err)
		}
		f := os.NewFile(uintptr(dup), "kept")
		r.streams.ours = append(r.streams.ours, f)
		fds = append(fds, launch.FD{Src: add(f), Dst: int32(fd)})
	}
	plan.plan.FDs = fds
	return files, nil
}
