package policy

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

var sizeUnits = []struct {
	name   string
	factor int64
}{
	{"KiB", 1 << 10}, {"MiB", 1 << 20}, {"GiB", 1 << 30}, {"TiB", 1 << 40},
	{"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12},
	{"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {"T", 1 << 40}, {"B", 1},
}

// ParseSize reads a number of bytes above zero: "4096", "64KiB", "2GiB", "1.5GB".
// K, M, G and T alone mean powers of 1024.
func ParseSize(s string) (int64, error) {
	number, factor := strings.TrimSpace(s), int64(1)
	for _, u := range sizeUnits {
		if n, ok := strings.CutSuffix(number, u.name); ok {
			number, factor = strings.TrimSpace(n), u.factor
			break
		}
	}
	bad := &Error{Code: CodeInvalid, Msg: fmt.Sprintf("unusable size %q", clip(s, 64)), Hint: `write bytes, or a number with a unit: "64MiB", "2GiB"`}
	if strings.Trim(number, "0123456789.") != "" {
		return 0, bad
	}
	if whole, err := strconv.ParseInt(number, 10, 64); err == nil {
		if whole <= 0 || whole > math.MaxInt64/factor {
			return 0, bad
		}
		return whole * factor, nil
	}
	f, err := strconv.ParseFloat(number, 64)
	if bytes := f * float64(factor); err == nil && bytes >= 1 && bytes < math.MaxInt64/2 {
		return int64(bytes), nil
	}
	return 0, bad
}

type docDuration time.Duration

func (d *docDuration) UnmarshalText(text []byte) error {
	parsed, err := time.ParseDuration(string(text))
	if err != nil || parsed <= 0 {
		return &Error{Code: CodeInvalid, Msg: fmt.Sprintf("unusable duration %q", clip(string(text), 64)), Hint: `write a number with a unit: "30s", "10m", "1h30m"`}
	}
	*d = docDuration(parsed)
	return nil
}

// docSize is written as a string with a unit or as a number of bytes.
type docSize int64

func (d *docSize) UnmarshalJSON(text []byte) error {
	s := string(text)
	switch v := jsontext.Value(text); v.Kind() {
	case '"':
		unquoted, err := jsontext.AppendUnquote(nil, text)
		if err != nil {
			return err
		}
		s = string(unquoted)
	case '0':
		if strings.Trim(s, "0123456789") != "" {
			return &Error{Code: CodeInvalid, Msg: "want a whole number of bytes, not " + clip(s, 64)}
		}
	default:
		return &Error{Code: CodeInvalid, Msg: "want a size, not " + kindNoun(v.Kind())}
	}
	n, err := ParseSize(s)
	*d = docSize(n)
	return err
}

// docCount is a whole number above zero.
type docCount int64

func (d *docCount) UnmarshalJSON(text []byte) error {
	n, err := strconv.ParseInt(string(text), 10, 64)
	if err != nil || n <= 0 {
		return &Error{Code: CodeInvalid, Msg: fmt.Sprintf("want a whole number above zero, not %s", clip(string(text), 64))}
	}
	*d = docCount(n)
	return nil
}
