package confine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// tailSize is how much of the end of stderr is kept as evidence.
const tailSize = 64 << 10

// drainTime bounds the wait for the end of a pipe after the whole tree is
// dead: only a descriptor that was passed out of the namespace keeps it open.
const drainTime = 500 * time.Millisecond

// tail keeps the last tailSize bytes written to it.
type tail struct {
	mu   sync.Mutex
	data []byte
	cut  bool
	last byte // of everything written; 0 when nothing was
}

func (t *tail) add(p []byte) {
	if len(p) == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = p[len(p)-1]
	t.data = append(t.data, p...)
	if over := len(t.data) - tailSize; over > 0 && len(t.data) > 2*tailSize {
		t.data = append(t.data[:0], t.data[over:]...)
		t.cut = true
	}
}

func (t *tail) end() (data []byte, cut bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if over := len(t.data) - tailSize; over > 0 {
		return t.data[over:], true
	}
	return t.data, t.cut
}

// streams are the target's standard streams: what it gets, and the copying
// between pipes and the caller's readers and writers.
type streams struct {
	files     [3]*os.File // for the launcher
	ours      []*os.File  // of files, opened here: closed once the launcher has them
	copies    sync.WaitGroup
	readers   []*os.File // our ends of output pipes
	stdin     *os.File   // our end of an input pipe
	tail      tail
	seen      bool // stderr passes through here
	abandoned bool // nobody reads what was written: nothing more can be said there
}

// openStreams prepares the streams of c.
func openStreams(c *Cmd) (*streams, error) {
	s := &streams{}
	if err := s.open(c); err != nil {
		s.closeTheirs()
		s.closeOurs()
		return nil, err
	}
	return s, nil
}

func (s *streams) open(c *Cmd) error {
	if err := s.input(c.Stdin); err != nil {
		return err
	}
	if sameStream(c.Stdout, c.Stderr) {
		w, err := s.pipe(c.Stderr, true)
		s.files[1], s.files[2] = w, w
		return err
	}
	var err error
	if s.files[1], err = s.output(c.Stdout, false); err != nil {
		return err
	}
	s.files[2], err = s.output(c.Stderr, true)
	return err
}

func (s *streams) null(flag int) (*os.File, error) {
	f, err := os.OpenFile(os.DevNull, flag, 0)
	if err == nil {
		s.ours = append(s.ours, f)
	}
	return f, err
}

func (s *streams) input(r io.Reader) (err error) {
	if f, ok := r.(*os.File); ok && f != nil {
		s.files[0] = f
		return refuseFolder(f)
	}
	if r == nil {
		s.files[0], err = s.null(os.O_RDONLY)
		return err
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return err
	}
	s.files[0], s.stdin = theirs, ours
	s.ours = append(s.ours, theirs)
	go func() { // ends with the reader or with the target, whichever ends first
		_, _ = io.Copy(ours, r)
		ours.Close()
	}()
	return nil
}

func (s *streams) output(w io.Writer, stderr bool) (*os.File, error) {
	if w == nil {
		if stderr {
			return s.pipe(io.Discard, true)
		}
		return s.null(os.O_WRONLY)
	}
	if f, ok := w.(*os.File); ok && f != nil {
		if err := refuseFolder(f); err != nil {
			return nil, err
		}
		if !stderr || isTerminal(f) {
			return f, nil
		}
	}
	return s.pipe(w, stderr)
}

// pipe returns a pipe's end for the target; what comes out goes to w.
func (s *streams) pipe(w io.Writer, stderr bool) (*os.File, error) {
	ours, theirs, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.ours, s.readers = append(s.ours, theirs), append(s.readers, ours)
	s.seen = s.seen || stderr
	s.copies.Add(1)
	go s.copy(w, ours, stderr)
	return theirs, nil
}

func (s *streams) copy(w io.Writer, r *os.File, stderr bool) {
	defer s.copies.Done()
	defer r.Close() // a writer then gets EPIPE, as it would without us
	buf := make([]byte, 32<<10)
	for {
		n, err := r.Read(buf)
		if errors.Is(err, os.ErrDeadlineExceeded) { // the tree is dead: take what is there
			n, err = readNow(r, buf)
		}
		if n > 0 {
			if stderr {
				s.tail.add(buf[:n])
			}
			if _, werr := w.Write(buf[:n]); werr != nil {
				return
			}
		}
		if err != nil || n == 0 {
			return
		}
	}
}

// readNow reads without waiting and whatever the deadline.
func readNow(r *os.File, buf []byte) (n int, err error) {
	conn, err := r.SyscallConn()
	if err != nil {
		return 0, err
	}
	cerr := conn.Control(func(fd uintptr) { n, err = unix.Read(int(fd), buf) })
	if err != nil {
		n = 0
	}
	return max(n, 0), errors.Join(err, cerr)
}

// closeTheirs closes what the launcher has its own copies of.
func (s *streams) closeTheirs() {
	for _, f := range s.ours {
		f.Close()
	}
	s.ours = nil
}

func (s *streams) closeOurs() {
	for _, r := range s.readers {
		r.Close()
	}
	if s.stdin != nil {
		s.stdin.Close()
	}
}

// drain waits until everything written has been passed on, or, with patience
// above 0, that long: a reader that does not read may not hold up a run that was
// ended. The tree is dead.
func (s *streams) drain(patience time.Duration) {
	for _, r := range s.readers {
		_ = r.SetReadDeadline(time.Now().Add(drainTime)) // pipes have deadlines
	}
	done := make(chan struct{})
	go func() {
		s.copies.Wait()
		close(done)
	}()
	var late <-chan time.Time
	if patience > 0 {
		late = time.After(patience)
	}
	select {
	case <-done:
	case <-late:
		s.abandoned = true
	}
	if s.stdin != nil {
		s.stdin.Close()
	}
}

// refuseFolder refuses descriptors that would let the target reach the host's
// tree past its mounts: folders, and O_PATH descriptors of anything.
func refuseFolder(f *os.File) error { return refuseFolderFD(int(f.Fd()), f.Name()) }

// Inherited refuses a descriptor that this process has opened itself: those are
// closed on exec, and one that was inherited never is.
func Inherited(fd int) error {
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	if err == nil && flags&unix.FD_CLOEXEC != 0 {
		err = unix.EBADF
	}
	if err != nil {
		return &LaunchError{Stage: "pass descriptors", Path: fmt.Sprintf("descriptor %d", fd), Err: err, Hint: "open it before confine starts, as with 3>FILE"}
	}
	return nil
}

func refuseFolderFD(fd int, name string) error {
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("pass descriptor %d (%q): %w", fd, name, err)
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err != nil {
		return fmt.Errorf("pass descriptor %d (%q): %w", fd, name, err)
	}
	if st.Mode&unix.S_IFMT == unix.S_IFDIR || flags&unix.O_PATH != 0 {
		return &LaunchError{Stage: "pass descriptors", Path: name, Err: fmt.Errorf("descriptor %d is a folder or a path handle, which would reach past the mounts", fd),
			Hint: "redirect the stream to a file or close the descriptor"}
	}
	return nil
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// sameStream reports whether out and err are one file whose order of bytes matters.
func sameStream(out, err io.Writer) bool {
	a, ok1 := out.(*os.File)
	b, ok2 := err.(*os.File)
	if !ok1 || !ok2 || a == nil || b == nil {
		return false
	}
	var x, y unix.Stat_t
	if unix.Fstat(int(a.Fd()), &x) != nil || unix.Fstat(int(b.Fd()), &y) != nil {
		return false
	}
	kind := x.Mode & unix.S_IFMT
	return x.Dev == y.Dev && x.Ino == y.Ino && kind != unix.S_IFCHR && kind != unix.S_IFDIR
}
