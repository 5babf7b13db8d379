package policy

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

const (
	tokenPrefix = "confine1."
	maxToken    = 64 << 10

	// TokenKeySize is the length of a signing key in bytes.
	TokenKeySize = 32
)

// ErrApprovalMismatch is the cause when a token was made for another request.
var ErrApprovalMismatch = errors.New("the approval is for another request")

// Claims are what an approval token says. The token is signed, not encrypted.
type Claims struct {
	ID      string    `json:"id"`               // names the token, for its record when spent; unique and not empty
	Grant   Grant     `json:"grant"`            // Expires is required, and kept to the second
	Request string    `json:"request,omitzero"` // Digest of the only request it is for; "" is any
	Issued  time.Time `json:"issued,omitzero"`
}

// Sign makes a token of claims, readable by whoever holds it and made only by
// who holds the key. The caller supplies the randomness of ID and key.
func (c Claims) Sign(key []byte) (string, error) {
	switch {
	case len(key) != TokenKeySize:
		return "", &Error{Code: CodeInvalid, Source: "approval", Msg: fmt.Sprintf("the signing key has %d bytes, not %d", len(key), TokenKeySize)}
	case c.ID == "":
		return "", &Error{Code: CodeInvalid, Source: "approval", Msg: "the approval has no id"}
	case c.Grant.Expires.IsZero():
		return "", &Error{Code: CodeInvalid, Source: "approval", Msg: "the approval does not say when it expires"}
	}
	c.Grant.Expires = c.Grant.Expires.UTC().Truncate(time.Second)
	c.Issued = c.Issued.UTC().Truncate(time.Second)
	if c.Grant.Scope == 0 {
		c.Grant.Scope = ScopeOnce
	}
	text, err := json.Marshal(c, json.Deterministic(true))
	if err != nil {
		return "", &Error{Code: CodeInvalid, Source: "approval", Msg: "write the approval", Err: err}
	}
	token := tokenPrefix + base64.RawURLEncoding.EncodeToString(text)
	token += "." + base64.RawURLEncoding.EncodeToString(signature(key, token))
	if len(token) > maxToken {
		return "", &Error{Code: CodeInvalid, Source: "approval", Msg: fmt.Sprintf("the approval needs more than %d bytes", maxToken)}
	}
	return token, nil
}

// Verify returns the claims of a token that the key signed. It checks, in this
// order, that the token is genuine (ErrApprovalForged), that it has not expired
// at now (ErrApprovalExpired), and that it is for the request with the given
// digest (ErrApprovalMismatch). Whether it was spent is for the caller to record;
// see Claims.Approve.
func Verify(token string, key []byte, now time.Time, request string) (Claims, error) {
	c, err := open(token, key)
	switch {
	case err != nil:
		return Claims{}, &Error{Code: CodeInvalid, Source: "approval", Msg: "use the approval", Err: err, Hint: "ask the host to approve the request"}
	case now.IsZero() || !now.Before(c.Grant.Expires):
		return Claims{}, approvalError(ErrApprovalExpired, "ask for a new one")
	case c.Request != "" && c.Request != request:
		return Claims{}, approvalError(ErrApprovalMismatch, "ask for one for this request")
	}
	for i := range c.Grant.Entries {
		c.Grant.Entries[i].Source = "approval " + clip(c.ID, 64)
	}
	return c, nil
}

func open(token string, key []byte) (c Claims, err error) {
	// The decoder below would skip line ends.
	if len(key) != TokenKeySize || len(token) > maxToken || strings.ContainsAny(token, "\r\n") {
		return Claims{}, ErrApprovalForged
	}
	dot := strings.LastIndexByte(token, '.')
	if dot < len(tokenPrefix) || !strings.HasPrefix(token, tokenPrefix) {
		return Claims{}, ErrApprovalForged
	}
	strict := base64.RawURLEncoding.Strict()
	mac, err := strict.DecodeString(token[dot+1:])
	if err != nil || !hmac.Equal(mac, signature(key, token[:dot])) {
		return Claims{}, ErrApprovalForged
	}
	text, err := strict.DecodeString(token[len(tokenPrefix):dot])
	if err != nil {
		return Claims{}, ErrApprovalForged
	}
	// The text is one that this key signed; another version may have written it.
	if err := json.Unmarshal(text, &c, json.RejectUnknownMembers(true)); err != nil {
		return Claims{}, fmt.Errorf("%w: unreadable: %w", ErrApprovalForged, err)
	}
	if c.ID == "" || c.Grant.Expires.IsZero() || c.Grant.Scope == 0 {
		return Claims{}, ErrApprovalForged
	}
	return c, nil
}

func signature(key []byte, text string) []byte {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return mac.Sum(nil)
}

// Approve mints the approval that verified claims stand for. With ScopeOnce,
// Resolve calls spend as its last step, after everything else proved valid; it
// must record ID durably and fail with an error that wraps ErrApprovalSpent if
// that was done before, atomically between processes.
func (c Claims) Approve(spend func() error) *Approval { return mint(c.Grant, spend) }
