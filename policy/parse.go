package policy

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/tailscale/hujson"
)

const (
	maxText  = 1 << 20 // bytes of a policy file or request
	maxDepth = 32      // nesting of its values
)

// ParseError is a document that does not follow the format. Nothing of it was
// used.
type ParseError struct {
	File    string
	Line    int    // from 1; 0 if the document as a whole is at fault
	Col     int    // in characters, from 1
	Pointer string // JSON pointer of the value at fault; "" is the document
	Msg     string
	Err     error // the cause, if there is one
}

func (e *ParseError) Error() string {
	s := e.File
	if e.Line > 0 {
		s = fmt.Sprintf("%s:%d:%d", s, e.Line, e.Col)
	}
	s += ": " + e.Msg
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

func (e *ParseError) Unwrap() error { return e.Err }

// decode reads JSON with comments and trailing commas into a struct, strictly:
// unknown and duplicate keys, wrong types and nulls are errors, and so is text
// that is not UTF-8, too large or nested too deeply.
func decode(name string, text []byte, into any) (*source, error) {
	s := &source{name: name, text: text, value: map[jsontext.Pointer]int{}}
	if len(text) > maxText {
		return s, &ParseError{File: name, Msg: fmt.Sprintf("the document has more than %d bytes", maxText)}
	}
	if at := invalidUTF8(text); at >= 0 {
		return s, s.at(at, "", "the text is not UTF-8", nil)
	}
	if at := tooDeep(text); at >= 0 {
		return s, s.at(at, "", fmt.Sprintf("values are nested more than %d deep", maxDepth), nil)
	}
	plain, err := hujson.Standardize(text)
	if err != nil {
		return s, s.jwccError(err)
	}
	s.plain = plain
	if err := json.Unmarshal(plain, into, json.RejectUnknownMembers(true)); err != nil {
		return s, s.jsonError(err)
	}
	return s, s.index()
}

// jwccError places an error of the comment grammar, which counts bytes in lines.
func (s *source) jwccError(err error) error {
	var line, col int
	if _, scanErr := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &col); scanErr != nil {
		return &ParseError{File: s.name, Msg: "read the document", Err: err}
	}
	offset := 0
	for range line - 1 {
		offset += bytes.IndexByte(s.text[offset:], '\n') + 1
	}
	if cause := errors.Unwrap(err); cause != nil {
		err = cause
	}
	return s.at(offset+col-1, "", err.Error(), nil)
}

// jsonError says in the words of the format what a decoder found.
func (s *source) jsonError(err error) error {
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		if errors.Is(err, jsontext.ErrDuplicateName) {
			return s.at(int(syntax.ByteOffset), syntax.JSONPointer, fmt.Sprintf("duplicate key %q", clip(syntax.JSONPointer.LastToken(), 64)), nil)
		}
		return s.at(int(syntax.ByteOffset), syntax.JSONPointer, "not JSON", syntax.Err)
	}
	semantic, ok := errors.AsType[*json.SemanticError](err)
	if !ok {
		return &ParseError{File: s.name, Msg: "read the document", Err: err}
	}
	pointer := semantic.JSONPointer
	if errors.Is(err, json.ErrUnknownName) {
		unknown := unknownWord("key", pointer.LastToken(), fieldNames(semantic.GoType))
		return s.at(s.locate(pointer, true), pointer, unknown.Error(), nil)
	}
	if own, ok := errors.AsType[*Error](err); ok {
		return s.errorf(pointer, nil, "%s", own.Error())
	}
	if semantic.JSONKind != 0 && semantic.GoType != nil && len(semantic.JSONValue) == 0 {
		return s.errorf(pointer, nil, "want %s, not %s", noun(semantic.GoType), kindNoun(semantic.JSONKind))
	}
	if semantic.JSONKind == '0' && len(semantic.JSONValue) > 0 {
		return s.errorf(pointer, nil, "want a whole number, not %s", clip(string(semantic.JSONValue), 64))
	}
	return s.errorf(pointer, semantic.Err, "unusable value")
}

// fieldNames are the keys a struct decodes.
func fieldNames(t reflect.Type) (names []string) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil
	}
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names = append(names, name)
	}
	return names
}

func noun(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Slice:
		return "an array"
	case reflect.Struct, reflect.Map:
		return "an object"
	case reflect.Pointer:
		return noun(t.Elem())
	}
	return "a string"
}

func kindNoun(k jsontext.Kind) string {
	switch k {
	case '"':
		return "a string"
	case '0':
		return "a number"
	case '{':
		return "an object"
	case '[':
		return "an array"
	}
	return "true or false"
}

func invalidUTF8(text []byte) int {
	for at := 0; at < len(text); {
		r, n := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && n == 1 {
			return at
		}
		at += n
	}
	return -1
}

// tooDeep returns the offset of the first bracket beyond the depth limit, or -1.
// It runs before any recursive parser does.
func tooDeep(text []byte) int {
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			if depth++; depth > maxDepth {
				return i
			}
		case '}', ']':
			depth--
		case '"':
			for i++; i < len(text) && text[i] != '"'; i++ {
				if text[i] == '\\' {
					i++
				}
			}
		case '/':
			end := -1
			if rest := text[i:]; bytes.HasPrefix(rest, []byte("//")) {
				end = bytes.IndexByte(rest, '\n')
			} else if bytes.HasPrefix(rest, []byte("/*")) {
				if end = bytes.Index(rest[2:], []byte("*/")); end >= 0 {
					end += 3
				}
			} else {
				continue
			}
			if end < 0 {
				return -1
			}
			i += end
		}
	}
	return -1
}
