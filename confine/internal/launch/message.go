package launch

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Kind says what a Message reports or orders.
type Kind uint32

// From the launcher, pid 1 and the target's child.
const (
	Failed   Kind = iota + 1 // Stage, Path, Errno: the target was not executed
	Init                     // A = pid of pid 1
	Executed                 // the target was executed; A = its pid in its namespace
	Stopped                  // A = signal
	Exited                   // A = wait status; B = 1: no other process is left; the usage
	Restored                 // Path: a detached carve-out was attached again
)

// To pid 1.
const (
	Signal         Kind = iota + 64 // A = signal; B = 1: to the target's process group
	TakeForeground                  // give the terminal to the target's group
)

// Message is one record on the control socket.
type Message struct {
	Kind  Kind
	Errno int
	A, B  int
	// what all processes that were waited for used, in microseconds and KiB
	User, System, MaxRSS int64
	Stage                string
	Path                 string // cut at 447 bytes
}

const (
	stageSize   = 48
	pathSize    = 448
	textAt      = 16 + 3*8
	messageSize = textAt + stageSize + pathSize
)

func (m Message) encode() []byte {
	b := make([]byte, messageSize)
	for i, v := range [...]int{int(m.Kind), m.Errno, m.A, m.B} {
		binary.NativeEndian.PutUint32(b[4*i:], uint32(v))
	}
	return b
}

func decodeMessage(b []byte) (Message, error) {
	if len(b) != messageSize {
		return Message{}, fmt.Errorf("read control message: %d bytes instead of %d", len(b), messageSize)
	}
	field := func(i int) int { return int(int32(binary.NativeEndian.Uint32(b[4*i:]))) }
	wide := func(i int) int64 { return int64(binary.NativeEndian.Uint64(b[16+8*i:])) }
	text := func(b []byte) string { s, _, _ := bytes.Cut(b, []byte{0}); return string(s) }
	return Message{
		Kind: Kind(field(0)), Errno: field(1), A: field(2), B: field(3),
		User: wide(0), System: wide(1), MaxRSS: wide(2),
		Stage: text(b[textAt : textAt+stageSize]), Path: text(b[textAt+stageSize:]),
	}, nil
}
