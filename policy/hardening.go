package policy

// builtin gathers every layer that no policy writes.
func (r *resolver) builtin(f *facts) {
	r.system(f)
	if f.baseline == BaselineDeny && f.runtime == RuntimeSystem {
		for _, path := range runtimeSet {
			r.show(f, path, OriginBaseline, "runtime set")
		}
	}
	for _, path := range tempFolders {
		if at, err := r.walk(path); err == nil && at.kind == KindDir {
			f.temps = append(f.temps, Layer{Path: at.path, Access: Write, Origin: OriginTemp, Kind: KindDir})
		}
	}
	if !f.hardening {
		return
	}
	for _, name := range hardenedHome {
		if r.h.Home != "" {
			r.close(f, r.h.Home+"/"+name, "hardening: credentials")
		}
	}
	if r.h.SSHAuthSock != "" {
		r.close(f, r.h.SSHAuthSock, "hardening: agent socket")
	}
	for _, path := range hardenedRun {
		r.close(f, path, "hardening: system sockets")
	}
	if r.h.RuntimeDir != "" {
		r.close(f, r.h.RuntimeDir, "hardening: session sockets")
	}
	if f.baseline == BaselineAllow {
		for _, path := range reopenedRun {
			r.show(f, path, OriginHardening, "read by programs")
		}
	}
	for _, path := range r.h.Sockets {
		if at, ok := r.find(path); ok && !at.absent && !at.barred {
			f.sockets = append(f.sockets, Layer{Path: at.path, Access: Deny, Origin: OriginHardening, Kind: at.kind, Source: "hardening: bound socket"})
		}
	}
}

// system is the private /proc and /dev, and what of /sys is closed.
func (r *resolver) system(f *facts) {
	private := func(path string, access Access, kind Kind) {
		l := Layer{Path: path, Access: access, Origin: OriginBaseline, Private: true, Kind: kind, Source: "system folder"}
		if access == Deny {
			f.closed = append(f.closed, l)
		} else {
			f.shown = append(f.shown, l)
		}
	}
	existing := func(paths []string, access Access) {
		for _, path := range paths {
			if info, err := r.lstat(path); err == nil {
				private(path, access, info.Kind)
			}
		}
	}
	private("/proc", Write, KindDir)
	existing(procReadOnly, Read)
	existing(procClosed, Deny)
	private("/dev", Read, KindDir)
	existing(devWritable, Write)
	private(devMade[0], Write, KindDir)
	private(devMade[1], Write, KindDevice)
	f.shown = append(f.shown, Layer{Path: "/sys", Access: Read, Origin: OriginBaseline, Kind: KindDir, Source: "system folder"})
	for _, path := range sysClosed {
		if info, err := r.lstat(path); err == nil {
			f.closed = append(f.closed, Layer{Path: path, Access: Deny, Origin: OriginBaseline, Kind: info.Kind, Source: "system folder"})
		}
	}
}

// show makes an existing path readable.
func (r *resolver) show(f *facts, path string, origin Origin, source string) {
	at, ok := r.find(path)
	if !ok || at.absent || at.barred {
		return
	}
	f.shown = append(f.shown, Layer{Path: at.path, Access: Read, Origin: origin, Kind: at.kind, Source: source})
	f.links = append(f.links, at.links...)
}

// close denies a path; an absent one is watched where it could be created.
func (r *resolver) close(f *facts, path, source string) {
	at, ok := r.find(path)
	if !ok {
		return
	}
	l := Layer{Path: at.path, Access: Deny, Origin: OriginHardening, Kind: at.kind, Absent: at.absent, Source: source}
	if at.absent {
		f.watched = append(f.watched, l)
	} else {
		f.closed = append(f.closed, l)
	}
	f.watched = append(f.watched, linkLayers(at, OriginHardening, source)...)
}
