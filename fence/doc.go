// Package fence lets code that runs in the harness's own process, and so not
// under the kernel's confinement, keep to the same policy: the file tools of an
// agent. It asks policy.GrantLayers and nothing else.
//
//	f, err := fence.New(resolved)
//	text, err := f.ReadFile("/repo/README.md")
//	var denied *fence.DeniedError
//	if errors.As(err, &denied) { ... }
//
// # What is judged
//
// A path is judged by the object it reaches. Links, chains of them, dangling
// ones and ".." are followed as the kernel follows them; what does not exist is
// judged where it would be created. A folder on the way must be readable or
// lead to something granted, and a link on the way must be readable, so that
// nothing can be learned about what a denied folder holds, not even whether a
// name in it exists. Operations on a name (Remove, Rename, Lstat, Readlink,
// Mkdir) do not follow a link in the last component and judge the name itself.
// A relative path starts at the policy's Cwd.
//
// Access:
//
//	Read  at the object:  Open, ReadFile, Stat, Lstat, Readlink, ReadDir, WalkDir
//	Write at the object:  OpenFile for writing, WriteFile, Create, Mkdir, MkdirAll
//	Write at the object and at the folder that holds its name:
//	                      Remove, RemoveAll, Rename (both names)
//
// Rename and RemoveAll refuse a folder with a carve-out below it: moving it
// would take what is denied to a place where it is not.
//
// # What is guaranteed
//
// The walk holds descriptors (O_PATH), component by component. Then the kernel
// is asked where the held object lies (/proc/self/fd), and that path is what
// the layers decide about. The operation acts on the held descriptor, or on a
// name in the held folder, never through a second look-up of the path. Where
// the kernel's answer differs from the path walked, something moved: the call
// starts again. After opening, the place is verified once more, before anything
// is truncated, read or returned.
//
// So for every call, there is a moment during it at which what it acts on lay
// at a path that the policy grants. Another process that swaps links and
// folders cannot change that. If it moves the held folder between that moment
// and the effect, the effect goes along, as if the move had come right after:
// the same end state. To carry something into a denied place like that, the
// process must be able to write in that place itself.
//
// A file that has more than one name (hard links) is not written to, unless
// WithHardLinks allows it: another name may lie where writing is denied.
// Folders cannot be opened as files, and fifos, sockets and devices not at all.
// Magic links of /proc (fd, root, cwd, exe and so on) are refused: they lead
// anywhere.
//
// # What is not
//
// A private layer (the private /tmp, /dev and /proc of a run) does not exist in
// this process: what it decides is denied. An open file stays open when it is
// moved, as always. Reading a file by a granted name says nothing about its
// other names. Names are compared byte by byte: on a file system that ignores
// case, a denied name can be reached in another spelling. Permissions, owners
// and times of existing files cannot be changed through a Fence. Nothing holds
// for files that the process opens without it.
//
// Under danger-full-access a Fence grants everything and refuses nothing.
package fence
