package confine

import (
	"errors"
	"fmt"
	"os"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"

	"confine/confine/internal/launch"
	"confine/policy"
)

// Landlock rights of a layer's access. Rights that only files have are split
// off, because the kernel refuses folder rights on a file (EINVAL).
const (
	readFileRights  landlock.AccessFSSet = ll.AccessFSReadFile | ll.AccessFSExecute
	readDirRights   landlock.AccessFSSet = readFileRights | ll.AccessFSReadDir
	writeFileRights landlock.AccessFSSet = readFileRights | ll.AccessFSWriteFile | ll.AccessFSTruncate | ll.AccessFSIoctlDev
	writeDirRights  landlock.AccessFSSet = readDirRights | writeFileRights | ll.AccessFSRefer | ll.AccessFSRemoveDir | ll.AccessFSRemoveFile |
		ll.AccessFSMakeChar | ll.AccessFSMakeDir | ll.AccessFSMakeReg | ll.AccessFSMakeSock | ll.AccessFSMakeFifo | ll.AccessFSMakeBlock | ll.AccessFSMakeSym
)

func landlockRights(access policy.Access, dir bool) landlock.AccessFSSet {
	switch {
	case access == policy.Write && dir:
		return writeDirRights
	case access == policy.Write:
		return writeFileRights
	case access == policy.Read && dir:
		return readDirRights
	case access == policy.Read:
		return readFileRights
	}
	return 0
}

// landlockABI returns the kernel's Landlock ABI, 0 without Landlock. An ABI
// from 6 on counts as 5 until the kernel has the fix of signal scoping, as
// go-landlock does.
func landlockABI() int {
	abi, err := ll.LandlockGetABIVersion()
	if err != nil || abi < 0 {
		return 0
	}
	if abi >= 6 {
		if errata, err := ll.LandlockGetErrata(); err != nil || errata&2 == 0 {
			return 5
		}
	}
	return abi
}

// landlockConfig is what is restricted at an ABI on top of mounts: all file
// system rights it has, and the scopes. Network ports are left to the network
// namespace, whose errors programs understand.
func landlockConfig(abi int) landlock.Config {
	var c landlock.Config
	switch {
	case abi >= 5:
		c = landlock.V5
	case abi >= 3:
		c = landlock.V3
	case abi == 2:
		c = landlock.V2
	case abi == 1:
		c = landlock.V1
	}
	handled := landlock.Config{HandledAccessFS: c.HandledAccessFS}
	if abi >= 6 {
		handled.Scoped = landlock.V6.Scoped
	}
	return handled
}

// ruleset builds the Landlock ruleset for the layers: the rules on host
// objects now, those on file systems that the launcher makes as operations.
// Rights add up along a path, so carve-outs are not expressible here; the
// mounts hold those, and this is the second lock on everything else.
//
// Invariant: rights granted at a path ⊆ rights of the broadest access that the
// layers from there up to "/" grant.
func ruleset(layers policy.Layers, hold func(string) (object, int, error), abi int) (*os.File, []launch.Op, error) {
	config := landlockConfig(abi)
	if config.HandledAccessFS == 0 {
		return nil, nil, nil
	}
	paths := map[landlock.AccessFSSet][]string{} // by rights
	var later []launch.Op
	granted := map[string]policy.Access{} // the most that the layers up to a path grant
	for _, l := range layers.All() {
		above := policy.Deny
		if l.Path != "/" {
			above = granted[layers.Deciding(parentOf(l.Path)).Path]
		}
		granted[l.Path] = max(above, l.Access)
		if l.Access <= above || l.Absent {
			continue
		}
		if l.Private && l.Kind != policy.KindDevice {
			rights := landlockRights(l.Access, true) & config.HandledAccessFS
			later = append(later, launch.Op{Code: launch.Landlock, Path: l.Path, AttrSet: uint64(rights)})
			continue
		}
		if l.Path == "/dev/ptmx" {
			continue // a link to /dev/pts/ptmx
		}
		o, fd, err := hold(l.Path)
		if err != nil {
			if l.Access == policy.Read && errors.Is(err, os.ErrPermission) {
				continue
			}
			return nil, nil, err
		}
		rights := landlockRights(l.Access, o.isDir()) & config.HandledAccessFS
		paths[rights] = append(paths[rights], fmt.Sprintf("/proc/self/fd/%d", fd))
	}
	var rules []landlock.Rule
	for rights, list := range paths {
		rules = append(rules, landlock.PathAccess(rights, list...))
	}
	fd, _, err := config.NewRulesetFD(rules...)
	if err != nil {
		return nil, nil, fmt.Errorf("build Landlock ruleset: %w", err)
	}
	if fd < 0 {
		return nil, nil, errors.New("build Landlock ruleset: the library built none")
	}
	return os.NewFile(uintptr(fd), "landlock"), later, nil
}
