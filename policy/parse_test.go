package policy

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

var badDocuments = []struct {
	name, text, want, pointer string
}{
	{"empty", ``, `p.jsonc:1:1: parsing value: unexpected EOF`, ""},
	{"cut off", "{\n  \"version\": 1", `p.jsonc:2:15: parsing object after value: unexpected EOF`, ""},
	{"not an object", `[]`, `p.jsonc:1:1: want an object, not an array`, ""},
	{"two values", `{"version":1} x`, `p.jsonc:1:15: invalid character 'x' after top-level value`, ""},
	{"open comment", `{"version":1} /* `, `p.jsonc:1:15: parsing comment: unexpected EOF`, ""},
	{"no version", `{}`, `p.jsonc:1:1: the document has no "version"; write "version": 1`, ""},
	{"other version", `{"version":2}`, `p.jsonc:1:12: version 2 is not known; this program reads version 1`, "/version"},
	{"version as text", `{"version":"1"}`, `p.jsonc:1:12: want a whole number, not a string`, "/version"},
	{"broken version", `{"version":1.5}`, `p.jsonc:1:12: want a whole number, not 1.5`, "/version"},
	{"unknown key", "{\"version\":1, // é\n\t\"modee\":\"x\"}", `p.jsonc:2:2: unknown key "modee"; did you mean "mode"?`, "/modee"},
	{"unknown nested key", `{"version":1,"entries":[{"path":"/x","access":"read","optinal":true}]}`, `p.jsonc:1:54: unknown key "optinal"; did you mean "optional"?`, "/entries/0/optinal"},
	{"key in other case", `{"Version":1}`, `p.jsonc:1:2: unknown key "Version"; did you mean "version"?`, "/Version"},
	{"duplicate key", `{"version":1,"version":1}`, `p.jsonc:1:14: duplicate key "version"`, "/version"},
	{"duplicate variable", `{"version":1,"env":{"set":{"A":"1","A":"2"}}}`, `p.jsonc:1:36: duplicate key "A"`, "/env/set/A"},
	{"unknown word", "{\"version\":1,\n   \"mode\":\"read-onl\"}", `p.jsonc:2:11: unknown mode "read-onl"; did you mean "read-only"?`, "/mode"},
	{"unknown far word", `{"version":1,"network":"internet"}`, `p.jsonc:1:24: unknown network reach "internet"; use one of: deny, loopback, allow-all`, "/network"},
	{"unknown access", `{"version":1,"entries":[{"path":"/x","access":"wirte"}]}`, `p.jsonc:1:47: unknown access "wirte"; did you mean "write"?`, "/entries/0/access"},
	{"column counts characters", `{"version":1,"workspace":"é","mode":"x"}`, `p.jsonc:1:37: unknown mode "x"; use one of: read-only, workspace-write, danger-full-access`, "/mode"},
	{"null", `{"version":1,"mode":null}`, `p.jsonc:1:21: null is not a value here`, "/mode"},
	{"wrong type", `{"version":1,"hardening":"no"}`, `p.jsonc:1:26: want true or false, not a string`, "/hardening"},
	{"wrong element", `{"version":1,"env":{"pass":["A",2]}}`, `p.jsonc:1:33: want a string, not a number`, "/env/pass/1"},
	{"no path", `{"version":1,"entries":[{"access":"read"}]}`, `p.jsonc:1:25: the entry has no "path"`, "/entries/0"},
	{"no access", `{"version":1,"entries":[{"path":"/x"}]}`, `p.jsonc:1:25: the entry has no "access"; use "deny", "read" or "write"`, "/entries/0"},
	{"duration", `{"version":1,"limits":{"wall":"10x"}}`, `p.jsonc:1:31: unusable duration "10x"; write a number with a unit: "30s", "10m", "1h30m"`, "/limits/wall"},
	{"negative duration", `{"version":1,"limits":{"cpu":"-1s"}}`, `p.jsonc:1:30: unusable duration "-1s"; write a number with a unit: "30s", "10m", "1h30m"`, "/limits/cpu"},
	{"size", `{"version":1,"limits":{"memory":"lots"}}`, `p.jsonc:1:33: unusable size "lots"; write bytes, or a number with a unit: "64MiB", "2GiB"`, "/limits/memory"},
	{"size of a type", `{"version":1,"limits":{"memory":true}}`, `p.jsonc:1:33: want a size, not true or false`, "/limits/memory"},
	{"half a byte", `{"version":1,"limits":{"memory":2.5}}`, `p.jsonc:1:33: want a whole number of bytes, not 2.5`, "/limits/memory"},
	{"count", `{"version":1,"limits":{"processes":0}}`, `p.jsonc:1:36: want a whole number above zero, not 0`, "/limits/processes"},
	{"section", `{"version":1,"classify":[]}`, `p.jsonc:1:25: want an object, not an array`, "/classify"},
	{"not UTF-8", "{\"version\":1,\"x\":\"\xff\"}", `p.jsonc:1:19: the text is not UTF-8`, ""},
	{"byte order mark", "\ufeff{\"version\":1}", `p.jsonc:1:1: invalid character '\ufeff' at start of value`, ""},
	{"deep", `{"version":1,"code":` + strings.Repeat("[", 500_000), `p.jsonc:1:52: values are nested more than 32 deep`, ""},
	{"deep behind a comment", "// \" {\n" + strings.Repeat("[", 33), `p.jsonc:2:33: values are nested more than 32 deep`, ""},
	{"large", strings.Repeat(" ", maxText+1), `p.jsonc: the document has more than 1048576 bytes`, ""},
}

func TestBadDocumentsSayWhere(t *testing.T) {
	for _, test := range badDocuments {
		t.Run(test.name, func(t *testing.T) {
			var doc document
			s, err := decode("p.jsonc", []byte(test.text), &doc)
			if err == nil {
				err = doc.checkShape(s)
			}
			parse, ok := errors.AsType[*ParseError](err)
			if !ok {
				t.Fatalf("the error is %v", err)
			}
			if got := parse.Error(); got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if parse.Pointer != test.pointer {
				t.Errorf("the pointer is %q, want %q", parse.Pointer, test.pointer)
			}
		})
	}
}

func TestSizes(t *testing.T) {
	for text, want := range map[string]int64{
		"1": 1, "4096": 4096, "64KiB": 64 << 10, "2GiB": 2 << 30, "2 GiB": 2 << 30, "1.5K": 1536, "3MB": 3_000_000, "7B": 7, "8T": 8 << 40,
		"": 0, "0": 0, "-1": 0, "GiB": 0, "1e3": 0, "0x10": 0, "1GiBs": 0, "9999999TiB": 0, "99999999999999999999": 0, "1.2.3": 0, "NaN": 0, "0.1": 0,
	} {
		got, err := ParseSize(text)
		if got != want || (err == nil) != (want > 0) {
			t.Errorf("ParseSize(%q) = %d, %v; want %d", text, got, err, want)
		}
	}
}

// Whatever the text, parsing ends, and its errors have a place inside the text.
func FuzzParse(f *testing.F) {
	for _, test := range badDocuments {
		if len(test.text) < 4096 { // large seeds only slow the search down
			f.Add([]byte(test.text))
		}
	}
	for _, name := range Presets() {
		text, err := Preset(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add(Starter())
	f.Fuzz(func(t *testing.T, text []byte) {
		h, tree := testHost()
		tree.File("/p.jsonc", string(text))
		d, err := Load([]string{"/p.jsonc"}, "/home/u/repo", h, tree)
		if err != nil {
			if d.Entries != nil || d.Mode != 0 {
				t.Error("a refused file had an effect")
			}
			for _, problem := range flatten(err) {
				placed(t, problem, text)
			}
			return
		}
		for _, e := range d.Entries {
			if clean, err := Clean(e.Path); err != nil || clean != e.Path {
				t.Errorf("the entry path %q is not clean", e.Path)
			}
		}
		if !utf8.Valid(text) {
			t.Error("text that is not UTF-8 was accepted")
		}
	})
}

// placed checks that an error about a text points into it.
func placed(t *testing.T, err error, text []byte) {
	parse, ok := errors.AsType[*ParseError](err)
	if !ok || parse.File != "/p.jsonc" && parse.File != "request" {
		return
	}
	lines := strings.Split(string(text), "\n")
	if parse.Line == 0 && len(text) <= maxText {
		t.Errorf("no place: %v", err)
	}
	if parse.Line > len(lines) || parse.Line > 0 && parse.Col > utf8.RuneCountInString(lines[parse.Line-1])+1 {
		t.Errorf("%v points outside %d lines", err, len(lines))
	}
}

func flatten(err error) []error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		return joined.Unwrap()
	}
	return []error{err}
}
