package classify

import "strings"

const separators = "=:@,"

// secret reports the credential path that s names, whole or after a separator ("--file=PATH", "@PATH", "host:PATH").
func (t *Table) secret(s string, glob bool) bool {
	if isURL(s) {
		_, host, _ := strings.Cut(s, "://")
		host, _, _ = strings.Cut(host, "/")
		host, _, _ = strings.Cut(host[strings.LastIndexByte(host, '@')+1:], ":")
		return t.secretPath(host, false)
	}
	if t.secretPath(s, glob) {
		return true
	}
	i := strings.IndexAny(s, separators)
	for i >= 0 {
		s = s[i+1:]
		if i = strings.IndexAny(s, separators); i < 0 {
			return t.secretPath(s, glob)
		}
		if t.secretPath(s[:i], glob) {
			return true
		}
	}
	return false
}

func (t *Table) secretPath(s string, glob bool) bool {
	if s == "" {
		return false
	}
	var buf [24]string
	p := clean(s, glob, buf[:])
	if t.secretSegments(p) {
		return true
	}
	q, ok := p.rooted()
	return ok && t.secretSegments(q)
}

func (t *Table) secretSegments(p cleanPath) bool {
	n := len(p.segments)
	found, end := t.secrets.match(p, reachBelow)
	if found == nil {
		return false
	}
	if end < n || found.anchored {
		return true
	}
	last := cleanPath{segments: p.segments[n-1:]}
	except, _ := t.notSecret.match(last, reachSelf)
	return except == nil
}

func isURL(s string) bool {
	i := strings.Index(s, "://")
	if i <= 0 {
		return false
	}
	switch s[:i] {
	case "http", "https", "ftp", "ssh", "git", "git+ssh", "git+https", "ws", "wss", "postgres", "postgresql", "mysql", "redis", "oci", "docker":
		return true
	}
	return false
}

// writes reports whether storing to s changes anything.
func (t *Table) writes(s string) bool {
	if s == "" || s == "-" {
		return false
	}
	var buf [24]string
	p := clean(s, false, buf[:])
	found, _ := t.harmless.match(p, reachSelf)
	return found == nil
}

// criticalWrite reports whether creating or extending s is critical.
func (t *Table) criticalWrite(s string, glob bool) bool {
	if s == "" {
		return false
	}
	var buf [24]string
	p := clean(s, glob, buf[:])
	if q, ok := p.rooted(); ok {
		p = q
	}
	found, _ := t.files.match(p, reachBelow)
	return found != nil
}

// criticalTarget reports whether overwriting or removing s is critical.
func (t *Table) criticalTarget(s string, glob bool) bool {
	if s == "" {
		return false
	}
	var buf [24]string
	p := clean(s, glob, buf[:])
	if t.criticalSegments(p) {
		return true
	}
	q, ok := p.rooted()
	return ok && t.criticalSegments(q)
}

func (t *Table) criticalSegments(p cleanPath) bool {
	if found, _ := t.files.match(p, reachBelow); found != nil {
		return true
	}
	if found, _ := t.notCritical.match(p, reachBelow); found != nil {
		return false
	}
	if found, _ := t.trees.match(p, reachBelow); found != nil {
		return true
	}
	if t.place(p) {
		return true
	}
	if n := len(p.segments); n > 1 && wildOnly(p.segments[n-1]) { // everything inside a place
		p.segments = p.segments[:n-1]
		return t.place(p)
	}
	return false
}

// place reports whether p is itself a path whose loss is critical.
func (t *Table) place(p cleanPath) bool {
	found, _ := t.places.match(p, reachSelf)
	return found != nil
}

// home reports whether s is a whole home, all homes, or the root: what a recursive copy takes its credentials from.
func (t *Table) home(s string) bool {
	var buf [24]string
	p := clean(s, false, buf[:])
	if n := len(p.segments); n > 1 && wildOnly(p.segments[n-1]) {
		p.segments = p.segments[:n-1]
	}
	switch seg := p.segments; {
	case len(seg) == 1:
		return seg[0] == "" || seg[0] == "~"
	case len(seg) == 2 && seg[0] == "":
		return seg[1] == "home" || seg[1] == "root" || seg[1] == "users" || seg[1] == "etc"
	case len(seg) == 3 && seg[0] == "":
		return seg[1] == "home" || seg[1] == "users"
	}
	return false
}

// trustedProgram reports whether a program named with a path is the one its name says.
func (t *Table) trustedProgram(s string) bool {
	var buf [24]string
	p := clean(s, false, buf[:])
	if n := len(p.segments); n > 0 {
		p.segments = p.segments[:n-1]
	}
	found, _ := t.trusted.match(p, reachSelf)
	return found != nil
}
