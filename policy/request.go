package policy

import (
	"crypto/sha256"
	"encoding/hex"
	stdjson "encoding/json"
	"errors"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// docRequest is a request as written: only what can narrow.
type docRequest struct {
	Schema  string     `json:"$schema"`
	Version int        `json:"version"`
	Mode    Mode       `json:"mode"`
	Network Reach      `json:"network"`
	Entries []docEntry `json:"entries"`
}

// ParseRequest reads a request that may come from a model: a JSON object with
// "mode", "network" and "entries" (path, access "deny" or "read", optional), and
// nothing else. Unknown keys and words, relative paths and write entries are
// errors, a *ParseError with its place in the text. Comments are allowed.
// Variables and globs are not expanded. The result has no Cwd, SessionMode or
// Approval: those are the host's to set.
func ParseRequest(text []byte) (Request, error) {
	return parseRequest("request", text, func(path string) (string, error) { return Clean(path) })
}

// ParseWorkspaceRequest reads the request that a project keeps in its workspace
// (.confine.jsonc), named name in messages. It is as untrusted as any request;
// its paths may also be relative to the workspace or start with ${WORKSPACE}.
func ParseWorkspaceRequest(name string, text []byte, workspace string) (Request, error) {
	return parseRequest(name, text, func(path string) (string, error) {
		if rest, ok := strings.CutPrefix(path, "${WORKSPACE}"); ok && (rest == "" || rest[0] == '/') {
			path = workspace + rest
		}
		return Abs(workspace, path)
	})
}

func parseRequest(name string, text []byte, abs func(string) (string, error)) (Request, error) {
	var doc docRequest
	s, err := decode(name, text, &doc)
	if err != nil {
		return Request{}, err
	}
	if _, ok := s.value["/version"]; ok && doc.Version != 1 {
		return Request{}, s.errorf("/version", nil, "version %d is not known; this program reads version 1", doc.Version)
	}
	if err := checkEntries(s, doc.Entries); err != nil {
		return Request{}, err
	}
	req := Request{Mode: doc.Mode, Network: doc.Network}
	var problems []error
	for i, e := range doc.Entries {
		at := elem("/entries", i)
		path, err := abs(e.Path)
		switch {
		case e.Access == Write:
			problems = append(problems, s.errorf(at+"/access", nil, "write %q: a request may only narrow; ask the host for an approval", clip(e.Path, 200)))
		case err != nil:
			problems = append(problems, s.errorf(at+"/path", err, "%s %q", e.Access, clip(e.Path, 200)))
		}
		req.Entries = append(req.Entries, Entry{Path: path, Access: e.Access, Optional: e.Optional, Source: s.where(at + jsontext.Pointer("/path"))})
	}
	if len(problems) > 0 {
		return Request{}, errors.Join(problems...)
	}
	return req, nil
}

// Digest identifies what the untrusted half asks for: the hexadecimal SHA-256 of
// a canonical form of Mode, Network, Entries and Also. An approval token can be
// bound to it. Sources and the host's fields are left out.
func (r Request) Digest() string {
	sum := sha256.Sum256(r.canonical())
	return hex.EncodeToString(sum[:])
}

func (r Request) canonical() []byte {
	type entry struct {
		Path     string
		Access   uint8
		Optional bool
	}
	form := struct {
		Mode, Network uint8
		Entries       []entry
		Also          []string
	}{Mode: uint8(r.Mode), Network: uint8(r.Network)}
	for _, e := range r.Entries {
		form.Entries = append(form.Entries, entry{hex.EncodeToString([]byte(e.Path)), uint8(e.Access), e.Optional})
	}
	for _, also := range r.Also {
		form.Also = append(form.Also, Request{Mode: also.Mode, Network: also.Network, Entries: also.Entries}.Digest())
	}
	text, err := stdjson.Marshal(form)
	if err != nil {
		return nil // numbers, booleans and hexadecimal strings always encode
	}
	return text
}
