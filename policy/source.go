package policy

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// source is one parsed document, for telling where things were written.
type source struct {
	name  string
	text  []byte
	plain []byte                   // text without comments, of the same length
	value map[jsontext.Pointer]int // offset of each value, once the text was decoded
	last  counted
}

// counted is an offset with the lines and characters before it.
type counted struct{ offset, line, col int }

// index records where each value stands, in time linear in the text: what was
// decoded has no long keys with much below them, but for the sections that
// another package reads, which are passed over.
func (s *source) index() error {
	var null error
	err := s.each(func(at jsontext.Pointer, start int, key bool, kind jsontext.Kind) bool {
		if !key {
			s.value[at] = start
			if kind == 'n' && null == nil {
				null = s.at(start, at, "null is not a value here", nil)
			}
		}
		return true
	}, -1)
	return errors.Join(err, null)
}

// locate returns the offset of one key or value.
func (s *source) locate(pointer jsontext.Pointer, wantKey bool) (offset int) {
	if pointer == "" {
		return len(s.plain) - len(bytes.TrimLeft(s.plain, " \t\r\n"))
	}
	_ = s.each(func(at jsontext.Pointer, start int, key bool, _ jsontext.Kind) bool {
		if at == pointer && key == wantKey {
			offset = start
			return false
		}
		return true
	}, strings.Count(string(pointer), "/"))
	return offset
}

// each visits the keys and values of the document until visit returns false, at
// all depths or at one. The contents of free sections are not visited.
func (s *source) each(visit func(at jsontext.Pointer, start int, key bool, kind jsontext.Kind) bool, depth int) error {
	d := jsontext.NewDecoder(bytes.NewBuffer(s.plain))
	for free := false; ; {
		start := int(d.InputOffset())
		for start < len(s.plain) && strings.IndexByte(" \t\r\n,:", s.plain[start]) >= 0 {
			start++
		}
		kind, above := d.PeekKind(), d.StackDepth()
		in, count := d.StackIndex(above)
		key := in == '{' && count%2 == 0
		var err error
		if free && !key {
			err = d.SkipValue()
		} else {
			_, err = d.ReadToken()
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if kind == '}' || kind == ']' || depth >= 0 && above != depth {
			continue
		}
		at := d.StackPointer()
		free = key && (at == "/classify" || at == "/code")
		if !visit(at, start, key, kind) {
			return nil
		}
	}
}

// at is an error at a byte offset.
func (s *source) at(offset int, pointer jsontext.Pointer, msg string, err error) *ParseError {
	line, col := s.position(offset)
	return &ParseError{File: s.name, Line: line, Col: col, Pointer: string(pointer), Msg: msg, Err: err}
}

// errorf is an error at a value.
func (s *source) errorf(pointer jsontext.Pointer, err error, format string, args ...any) *ParseError {
	offset, ok := s.value[pointer]
	if !ok {
		offset = s.locate(pointer, false)
	}
	return s.at(offset, pointer, fmt.Sprintf(format, args...), err)
}

// where names a value for messages.
func (s *source) where(pointer jsontext.Pointer) string {
	line, col := s.position(s.value[pointer])
	return fmt.Sprintf("%s:%d:%d", s.name, line, col)
}

// position counts lines and characters up to an offset, on from the one asked
// for last where that lies before it.
func (s *source) position(offset int) (line, col int) {
	offset = min(max(offset, 0), len(s.text))
	if offset < s.last.offset {
		s.last = counted{}
	}
	passed := s.text[s.last.offset:offset]
	if n := bytes.Count(passed, []byte("\n")); n > 0 {
		s.last.line += n
		s.last.col = 0
		passed = passed[bytes.LastIndexByte(passed, '\n')+1:]
	}
	s.last.col += utf8.RuneCount(passed)
	s.last.offset = offset
	return s.last.line + 1, s.last.col + 1
}
