package policy

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// document is a policy file as written. schema.json says the same in JSON Schema.
type document struct {
	Schema    string         `json:"$schema"`
	Version   int            `json:"version"`
	Extends   []string       `json:"extends"`
	Mode      Mode           `json:"mode"`
	Workspace string         `json:"workspace"`
	Network   Reach          `json:"network"`
	Baseline  Baseline       `json:"baseline"`
	Entries   []docEntry     `json:"entries"`
	Protect   docProtect     `json:"protect"`
	Absent    Absent         `json:"absent"`
	Hardening *bool          `json:"hardening"`
	Tmp       Tmp            `json:"tmp"`
	Runtime   Runtime        `json:"runtime"`
	Env       docEnv         `json:"env"`
	Limits    docLimits      `json:"limits"`
	Seccomp   docSeccomp     `json:"seccomp"`
	Classify  jsontext.Value `json:"classify"`
	Code      jsontext.Value `json:"code"`
}

type docEntry struct {
	Path     string `json:"path"`
	Access   Access `json:"access"`
	Optional bool   `json:"optional"`
}

type docProtect struct {
	Add  []string `json:"add"`
	Drop []string `json:"drop"`
}

type docEnv struct {
	Pass []string          `json:"pass"`
	Set  map[string]string `json:"set"`
	All  bool              `json:"all"`
}

type docLimits struct {
	Wall      docDuration `json:"wall"`
	CPU       docDuration `json:"cpu"`
	Memory    docSize     `json:"memory"`
	FileSize  docSize     `json:"file_size"`
	Output    docSize     `json:"output"`
	Tmp       docSize     `json:"tmp"`
	Processes docCount    `json:"processes"`
	OpenFiles docCount    `json:"open_files"`
}

type docSeccomp struct {
	Preset string   `json:"preset"`
	Allow  []string `json:"allow"`
	Deny   []string `json:"deny"`
}

// Section is a part of a policy file that another package reads: standard JSON
// text of an object, with its place in the file for messages.
type Section struct {
	JSON      []byte
	File      string
	Line, Col int
}

// checkShape reports what the types of a document do not say.
func (doc *document) checkShape(s *source) error {
	if _, ok := s.value["/version"]; !ok {
		return s.at(0, "", `the document has no "version"; write "version": 1`, nil)
	}
	if doc.Version != 1 {
		return s.errorf("/version", nil, "version %d is not known; this program reads version 1", doc.Version)
	}
	for pointer, section := range map[jsontext.Pointer]jsontext.Value{"/classify": doc.Classify, "/code": doc.Code} {
		if len(section) > 0 && section.Kind() != '{' {
			return s.errorf(pointer, nil, "want an object, not %s", kindNoun(section.Kind()))
		}
	}
	return checkEntries(s, doc.Entries)
}

func checkEntries(s *source, entries []docEntry) error {
	for i, e := range entries {
		at := elem("/entries", i)
		switch {
		case e.Path == "":
			return s.errorf(at, nil, `the entry has no "path"`)
		case e.Access == 0:
			return s.errorf(at, nil, `the entry has no "access"; use "deny", "read" or "write"`)
		}
	}
	return nil
}

// merge puts a document on top of what earlier ones said: single values replace,
// lists grow. Entries and the workspace need expansion and are left out.
func (doc *document) merge(d *Defaults, s *source) {
	d.Mode = cmp.Or(doc.Mode, d.Mode)
	d.Network = cmp.Or(doc.Network, d.Network)
	d.Baseline = cmp.Or(doc.Baseline, d.Baseline)
	d.Absent = cmp.Or(doc.Absent, d.Absent)
	d.Tmp = cmp.Or(doc.Tmp, d.Tmp)
	d.Runtime = cmp.Or(doc.Runtime, d.Runtime)
	if doc.Hardening != nil {
		d.NoHardening = !*doc.Hardening
	}
	d.Protect = append(without(d.Protect, doc.Protect.Drop), doc.Protect.Add...)
	d.Unprotect = append(without(d.Unprotect, doc.Protect.Add), doc.Protect.Drop...)
	d.Env.Pass = append(d.Env.Pass, doc.Env.Pass...)
	d.Env.All = d.Env.All || doc.Env.All
	if d.Env.Set == nil && len(doc.Env.Set) > 0 {
		d.Env.Set = map[string]string{}
	}
	maps.Copy(d.Env.Set, doc.Env.Set)
	doc.Limits.merge(&d.Limits)
	d.Seccomp.Preset = cmp.Or(doc.Seccomp.Preset, d.Seccomp.Preset)
	d.Seccomp.Allow = append(d.Seccomp.Allow, doc.Seccomp.Allow...)
	d.Seccomp.Deny = append(d.Seccomp.Deny, doc.Seccomp.Deny...)
	d.Classify = appendSection(d.Classify, doc.Classify, s, "/classify")
	d.Code = appendSection(d.Code, doc.Code, s, "/code")
}

func (l docLimits) merge(to *Limits) {
	to.Wall = cmp.Or(time.Duration(l.Wall), to.Wall)
	to.CPU = cmp.Or(time.Duration(l.CPU), to.CPU)
	to.Memory = cmp.Or(int64(l.Memory), to.Memory)
	to.FileSize = cmp.Or(int64(l.FileSize), to.FileSize)
	to.Output = cmp.Or(int64(l.Output), to.Output)
	to.Tmp = cmp.Or(int64(l.Tmp), to.Tmp)
	to.Processes = cmp.Or(int64(l.Processes), to.Processes)
	to.OpenFiles = cmp.Or(int64(l.OpenFiles), to.OpenFiles)
}

func appendSection(to []Section, value jsontext.Value, s *source, at jsontext.Pointer) []Section {
	if len(value) == 0 {
		return to
	}
	line, col := s.position(s.value[at])
	return append(to, Section{JSON: slices.Clone(value), File: s.name, Line: line, Col: col})
}

func without(names, dropped []string) []string {
	return slices.DeleteFunc(names, func(n string) bool { return slices.Contains(dropped, n) })
}

// elem is the pointer of an element of an array.
func elem(array jsontext.Pointer, i int) jsontext.Pointer {
	return array + "/" + jsontext.Pointer(strconv.Itoa(i))
}

// member is the pointer of a member of an object.
func member(object jsontext.Pointer, name string) jsontext.Pointer {
	return object + "/" + jsontext.Pointer(strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
}
