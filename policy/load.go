package policy

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const maxChain = 16 // files that extend one another

// Load reads policy files and merges them in order, each on top of the ones it
// extends; what is named twice counts where it came first. Paths in files are absolute, start with "~" or a variable, or are
// relative to the file's folder; globs are expanded now, once, and say so in
// Notes. The workspace replaces the one that files name; where neither says
// anything ${WORKSPACE} is h.Cwd.
//
// Load grants and checks nothing on the host: what it returns is for Resolve.
// The error joins all problems found, *ParseError for what is written in a file.
func Load(files []string, workspace string, h Host, f FS) (Defaults, error) {
	w := newWalker(f)
	l := loader{walker: w, globs: newGlobber(w), h: h, loaded: map[string]bool{}}
	for _, file := range files {
		l.file(file, nil)
	}
	if len(l.problems) > 0 {
		return Defaults{}, errors.Join(l.problems...)
	}
	l.merge(workspace)
	if len(l.problems) > 0 {
		return Defaults{}, errors.Join(l.problems...)
	}
	return l.d, nil
}

type loader struct {
	*walker
	globs    *globber
	h        Host
	d        Defaults
	docs     []loadedDoc
	loaded   map[string]bool // presets and files, each of which counts once
	problems []error
}

type loadedDoc struct {
	document
	src *source
	dir string // that relative paths start from; "" in a preset
}

func (l *loader) report(err error) {
	if err != nil {
		l.problems = append(l.problems, err)
	}
}

// file reads one policy file and what it extends.
func (l *loader) file(given string, chain []string) {
	path, err := Clean(given)
	if err != nil {
		l.report(&Error{Code: CodeInvalid, Path: given, Msg: "read the policy file", Err: err})
		return
	}
	fail := func(err error) {
		l.report(&Error{Code: CodeInvalid, Path: path, Msg: fmt.Sprintf("read the policy file %q", path), Err: err})
	}
	at, err := l.walk(path)
	switch {
	case err != nil:
		fail(err)
		return
	case at.absent:
		fail(errors.New("it does not exist"))
		return
	case slices.Contains(chain, at.path):
		fail(fmt.Errorf("the files extend each other in a cycle: %s", strings.Join(append(chain, at.path), " -> ")))
		return
	}
	if l.d.Files = append(l.d.Files, path); l.loaded[at.path] {
		return
	}
	text, err := l.fs.ReadFile(at.path, maxText)
	if err != nil {
		fail(err)
		return
	}
	l.loaded[at.path] = true
	l.document(path, text, parent(path), append(slices.Clip(chain), at.path))
}

// document parses one text, loads what it extends, and files it after that.
func (l *loader) document(name string, text []byte, dir string, chain []string) {
	doc := loadedDoc{dir: dir}
	var err error
	if doc.src, err = decode(name, text, &doc.document); err == nil {
		err = doc.checkShape(doc.src)
	}
	if err != nil {
		l.report(err)
		return
	}
	if len(chain) > maxChain {
		l.report(doc.src.errorf("/extends", nil, "more than %d files extend one another: %s", maxChain, strings.Join(chain, " -> ")))
		return
	}
	for i, base := range doc.Extends {
		l.extend(&doc, base, elem("/extends", i), chain)
	}
	l.docs = append(l.docs, doc)
}

// extend loads a preset, named by a plain word, or a file.
func (l *loader) extend(doc *loadedDoc, base string, at jsontext.Pointer, chain []string) {
	if !strings.ContainsAny(base, "/.~$") {
		text, err := Preset(base)
		if err != nil {
			l.report(doc.src.errorf(at, nil, "%s, or the path of a file", err))
			return
		}
		name := "preset " + base
		if slices.Contains(chain, name) {
			l.report(doc.src.errorf(at, nil, "presets extend each other in a cycle: %s", strings.Join(append(chain, name), " -> ")))
			return
		}
		if !l.loaded[name] {
			l.loaded[name] = true
			l.document(name, text, "", append(slices.Clip(chain), name))
		}
		return
	}
	// The workspace is not known yet, and nothing in it may add to a policy.
	e, err := l.expander("").path(base)
	if err == nil && e.glob {
		err = errors.New("a glob names no file")
	}
	if err != nil {
		l.report(doc.src.errorf(at, err, "extend %q", clip(base, 200)))
		return
	}
	path, err := doc.abs(e.literal.String())
	if err != nil {
		l.report(doc.src.errorf(at, err, "extend %q", clip(base, 200)))
		return
	}
	before := len(l.problems)
	l.file(path, chain)
	for i, problem := range l.problems[before:] {
		if own, ok := errors.AsType[*Error](problem); ok {
			l.problems[before+i] = doc.src.errorf(at, own, "extend %q", clip(base, 200))
		}
	}
}

// abs makes a path of the document absolute.
func (doc *loadedDoc) abs(path string) (string, error) {
	if doc.dir == "" {
		return Clean(path)
	}
	return Abs(doc.dir, path)
}

// merge puts the documents on top of each other.
func (l *loader) merge(workspace string) {
	for _, doc := range l.docs {
		if doc.Workspace == "" {
			continue
		}
		e, err := l.expander("").path(doc.Workspace)
		if err == nil {
			l.d.Workspace, err = doc.abs(e.literal.String())
		}
		if err != nil {
			l.report(doc.src.errorf("/workspace", err, "use the workspace %q", clip(doc.Workspace, 200)))
		}
	}
	l.d.Workspace = cmp.Or(workspace, l.d.Workspace)
	x := l.expander(cmp.Or(l.d.Workspace, l.h.Cwd))
	for _, doc := range l.docs {
		for name, value := range doc.Env.Set {
			expanded, err := x.text(value)
			if err != nil {
				l.report(doc.src.errorf(member("/env/set", name), err, "set %q", clip(name, 200)))
			}
			doc.Env.Set[name] = expanded
		}
		doc.merge(&l.d, doc.src)
		for i, e := range doc.Entries {
			l.entry(x, &doc, e, elem("/entries", i)+"/path")
		}
	}
}

// expander knows the variables of policy files; ${WORKSPACE} only if it is given.
func (l *loader) expander(workspace string) expander {
	var gitDir, common string
	if workspace != "" {
		if dir, behind, ok := l.repository(workspace); ok {
			gitDir, common = dir, behind
		}
	}
	return expander{home: l.h.Home, lookup: func(name string) (string, bool) {
		switch name {
		case varWorkspace:
			return workspace, true
		case varHome:
			return l.h.Home, true
		case varGitDir:
			return gitDir, true
		case varGitCommon:
			return common, true
		}
		if l.h.Env == nil {
			return "", false
		}
		return l.h.Env(name), true
	}}
}

// entry expands one entry, a glob into one entry for each match.
func (l *loader) entry(x expander, doc *loadedDoc, e docEntry, at jsontext.Pointer) {
	e2, err := x.path(e.Path)
	if unset, ok := errors.AsType[*unsetError](err); ok && e.Optional && repositoryVariable(unset.name) {
		return
	}
	if err != nil {
		l.report(doc.src.errorf(at, err, "%s %q", e.Access, clip(e.Path, 200)))
		return
	}
	source := doc.src.where(at)
	path, err := doc.abs(e2.literal.String())
	if err != nil {
		l.report(doc.src.errorf(at, err, "%s %q", e.Access, clip(e.Path, 200)))
		return
	}
	if !e2.glob {
		l.d.Entries = append(l.d.Entries, Entry{Path: path, Access: e.Access, Optional: e.Optional, Source: source})
		return
	}
	pattern := e2.pattern.String()
	if !strings.HasPrefix(pattern, "/") {
		dir := &expansion{}
		dir.value(doc.dir)
		pattern = dir.pattern.String() + "/" + pattern
	}
	matches, err := l.globs.match(pattern)
	if err == nil && len(matches) == 0 && !e.Optional {
		err = errors.New("the glob matches nothing; correct it, or mark it optional")
	}
	if err != nil {
		l.report(doc.src.errorf(at, err, "%s %q", e.Access, clip(e.Path, 200)))
		return
	}
	l.d.Notes = append(l.d.Notes, fmt.Sprintf("%s: the glob %q matches %d paths now; files created later are not covered", source, clip(e.Path, 200), len(matches)))
	for _, m := range matches {
		if path, ok := l.matched(m, e.Access); ok {
			l.d.Entries = append(l.d.Entries, Entry{Path: path, Access: e.Access, Optional: true, Source: source})
		}
	}
}

// matched decides what a path found by a glob stands for. A link was named by
// nobody: it grants nothing, while a denial closes what it leads to, unless that
// holds the link itself.
func (l *loader) matched(m globMatch, access Access) (string, bool) {
	info, err := l.lstat(m.real)
	if err != nil || info.Kind != KindSymlink {
		return m.path, err == nil
	}
	at, ok := l.find(m.real)
	return at.path, ok && access == Deny && !at.absent && !Contains(at.path, m.real)
}
