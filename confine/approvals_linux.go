package confine

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"confine/policy"
)

// Approvals keeps the signing key of approval tokens and the records of spent
// ones in a folder that no confined command can see (see StateDir).
//
// A record is a file named after the token, created exclusively and synced with
// its folder before the run that it stands for is allowed: of two processes with
// one token exactly one gets it, and after a crash in between the token counts
// as spent.
type Approvals struct{ dir string }

// recordMargin is how long a record outlives its token, so that a clock that is
// set back by less cannot revive a spent token.
const recordMargin = 24 * time.Hour

// StateDir returns the folder for confine's own state, $XDG_STATE_HOME/confine
// or ~/.local/state/confine. It may not exist yet. Policies must list it in
// Defaults.Secret.
func StateDir(h policy.Host) (string, error) {
	if dir := absoluteEnv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "confine"), nil
	}
	if h.Home == "" {
		return "", errors.New("find the state folder: neither $XDG_STATE_HOME nor a home folder is known")
	}
	return filepath.Join(h.Home, ".local/state/confine"), nil
}

// OpenApprovals returns the approvals kept in dir. Nothing is created before it
// is needed.
func OpenApprovals(dir string) *Approvals { return &Approvals{dir: dir} }

// Mint returns a token for grant, bound to the request with the given digest
// ("" for any). grant.Expires is required.
func (a *Approvals) Mint(grant policy.Grant, request string, now time.Time) (token string, claims policy.Claims, err error) {
	key, err := a.key(true)
	if err != nil {
		return "", policy.Claims{}, err
	}
	var id [16]byte
	_, _ = rand.Read(id[:]) // never fails (crypto/rand)
	claims = policy.Claims{ID: hex.EncodeToString(id[:]), Grant: grant, Request: request, Issued: now}
	token, err = claims.Sign(key)
	return token, claims, err
}

// Redeem verifies a token for the request with the given digest. The approval
// is spent by the policy that resolves with it, not here. Errors match
// policy.ErrApprovalForged, ErrApprovalExpired, ErrApprovalMismatch and
// ErrApprovalSpent.
func (a *Approvals) Redeem(token, request string, now time.Time) (*policy.Approval, error) {
	key, err := a.key(false)
	if errors.Is(err, fs.ErrNotExist) {
		key, err = make([]byte, policy.TokenKeySize), nil // no key, so no token can be genuine
		_, _ = rand.Read(key)
	}
	if err != nil {
		return nil, err
	}
	claims, err := policy.Verify(token, key, now, request)
	if err != nil {
		return nil, err
	}
	record, err := a.record(claims.ID)
	if err != nil {
		return nil, err
	}
	if _, err := os.Lstat(record); err == nil && claims.Grant.Scope == policy.ScopeOnce {
		return nil, spent(claims.ID)
	}
	return claims.Approve(func() error { return a.spend(claims, now) }), nil
}

func spent(id string) error {
	return &policy.Error{Code: policy.CodeInvalid, Source: "approval", Msg: fmt.Sprintf("use the approval %.8s…", id),
		Hint: "an approval stands for one run; ask for a new one", Err: policy.ErrApprovalSpent}
}

// key reads the signing key, making one first where create is set.
func (a *Approvals) key(create bool) ([]byte, error) {
	path := filepath.Join(a.dir, "approval.key")
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ENOENT) && create {
		if err := a.makeKey(path); err != nil {
			return nil, fmt.Errorf("make the approval key: %w", err)
		}
		fd, err = unix.Open(path, unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	defer f.Close()
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return nil, &fs.PathError{Op: "stat", Path: path, Err: err}
	}
	if st.Mode&unix.S_IFMT != unix.S_IFREG || st.Mode&0o077 != 0 || int(st.Uid) != os.Geteuid() {
		return nil, fmt.Errorf("read the approval key %q: it must be a regular file of this user with mode 0600; remove it to make a new one", path)
	}
	key := make([]byte, policy.TokenKeySize+1)
	n, err := f.Read(key)
	if err != nil {
		return nil, err
	}
	if n != policy.TokenKeySize {
		return nil, fmt.Errorf("read the approval key %q: %d bytes instead of %d; remove it to make a new one", path, n, policy.TokenKeySize)
	}
	return key[:n], nil
}

// makeKey creates the key whole or not at all; a process that made one
// meanwhile wins.
func (a *Approvals) makeKey(path string) error {
	if err := os.MkdirAll(a.dir, 0o700); err != nil {
		return err
	}
	var key [policy.TokenKeySize]byte
	_, _ = rand.Read(key[:])
	f, err := os.CreateTemp(a.dir, ".key-") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(key[:])
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(a.dir)
}

func (a *Approvals) record(id string) (string, error) {
	if _, err := hex.DecodeString(id); err != nil || len(id) != 32 {
		return "", &policy.Error{Code: policy.CodeInvalid, Source: "approval", Msg: "use the approval", Err: policy.ErrApprovalForged}
	}
	return filepath.Join(a.dir, "spent", id), nil
}

// spend records a token as spent, durably, or fails because it was before.
func (a *Approvals) spend(c policy.Claims, now time.Time) error {
	path, err := a.record(c.ID)
	if err != nil {
		return err
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("record the approval as spent: %w", err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return spent(c.ID)
	}
	if err != nil {
		return fmt.Errorf("record the approval as spent: %w", err)
	}
	_, err = fmt.Fprintln(f, c.Grant.Expires.UTC().Format(time.RFC3339))
	if err := errors.Join(err, f.Sync(), f.Close(), syncDir(dir)); err != nil {
		return fmt.Errorf("record the approval as spent: %w", err)
	}
	a.prune(dir, now)
	return nil
}

// prune removes records of tokens that expired long ago: expiry refuses those.
func (a *Approvals) prune(dir string, now time.Time) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return // the next run tries again
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		text, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		expires, err := time.Parse(time.RFC3339, strings.TrimSpace(string(text)))
		if err == nil && now.After(expires.Add(recordMargin)) {
			_ = os.Remove(path)
		}
	}
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
