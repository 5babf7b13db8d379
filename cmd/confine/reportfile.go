package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"

	"confine/confine"
	"confine/policy"
)

// reportFile is where the report goes; the zero value is nowhere. It is opened
// before anything runs and written through that descriptor, so that nothing the
// command does to the path leads the report elsewhere.
type reportFile struct {
	file *os.File
	path string // absolute; "" for a descriptor that was passed in
}

// openReport opens the report that the flags ask for.
func openReport(host policy.Host, path string, fd int) (reportFile, error) {
	switch {
	case path != "" && fd >= 0:
		return reportFile{}, &usageError{msg: "both --report and --report-fd", hint: "use one of them"}
	case path != "":
		abs, err := absolute(host, path)
		if err != nil {
			return reportFile{}, fmt.Errorf("flag --report: %w", err)
		}
		return createReport(abs)
	case fd >= 0:
		return adoptReport(fd)
	}
	return reportFile{}, nil
}

func createReport(path string) (reportFile, error) {
	// O_NONBLOCK: a fifo without a reader is an error, not a wait
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0o600)
	switch {
	case errors.Is(err, syscall.ELOOP):
		return reportFile{}, &usageError{msg: fmt.Sprintf("flag --report: %q is a symlink", path), hint: "name the file it leads to, or use --report-fd"}
	case errors.Is(err, syscall.ENXIO):
		return reportFile{}, &usageError{msg: fmt.Sprintf("flag --report: nobody reads %q", path), hint: "start the reader first, or name a regular file"}
	case err != nil:
		return reportFile{}, &usageError{msg: fmt.Sprintf("flag --report: write %q: %v", path, cause(err)), hint: "name a file in a folder that exists and that you may write to"}
	}
	return reportFile{f, path}, nil
}

// adoptReport takes over a descriptor that the caller passed in.
func adoptReport(fd int) (reportFile, error) {
	name := "descriptor " + strconv.Itoa(fd)
	bad := func(reason string) (reportFile, error) {
		return reportFile{}, &usageError{msg: "flag --report-fd: " + name + " " + reason, hint: "open it for writing, as in --report-fd 3 3>report.json"}
	}
	if fd > 2 && confine.Inherited(fd) != nil {
		return bad("is not open")
	}
	flags, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_GETFL, 0)
	if errno != 0 {
		return bad("is not open")
	}
	var st syscall.Stat_t
	if err := syscall.Fstat(fd, &st); err != nil || st.Mode&syscall.S_IFMT == syscall.S_IFDIR {
		return bad("is a folder")
	}
	if flags&syscall.O_ACCMODE == syscall.O_RDONLY {
		return bad("is not open for writing")
	}
	if fd > 2 {
		syscall.CloseOnExec(fd) // an unconfined command inherits what is not
	}
	return reportFile{file: os.NewFile(uintptr(fd), name)}, nil
}

// regular reports whether the report is a file of its own that the command could reach.
func (o reportFile) regular() bool {
	if o.path == "" {
		return false
	}
	info, err := o.file.Stat()
	return err == nil && info.Mode().IsRegular()
}

// write writes the report, over anything that is in the file by now.
func (o reportFile) write(r *confine.Report) error {
	if o.file == nil {
		return nil
	}
	if o.regular() {
		if err := o.file.Truncate(0); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	if _, err := r.WriteTo(o.file); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if o.path == "" {
		return nil
	}
	ours, err := o.file.Stat()
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if there, err := os.Lstat(o.path); errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(ours, there) {
		return fmt.Errorf("write the report: %q was replaced meanwhile, and the report with it", o.path)
	}
	if o.regular() {
		if err := o.file.Close(); err != nil {
			return fmt.Errorf("write the report: %w", err)
		}
	}
	return nil
}
