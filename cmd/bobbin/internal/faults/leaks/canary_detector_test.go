package leaks

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// canaries holds secrets by name. Texts that must hold none of them are searched for each secret, as it is
// and in everything that can be decoded: the detector does not list encoded forms, it decodes.
type canaries map[string]string

// needles returns the two halves of each line of a secret, since a part of a secret is a leak, too. Lines of
// fewer than 16 characters and PEM headers are left out.
func (c canaries) needles(name string) (all []string) {
	for line := range strings.Lines(c[name]) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "-----") || len(line) < 16 {
			continue
		}
		all = append(all, line[:len(line)/2], line[len(line)/2:])
	}
	return all
}

var (
	base64Run = regexp.MustCompile(`[A-Za-z0-9+/_-]{16,}`)
	hexRun    = regexp.MustCompile(`[0-9a-fA-F]{16,}`)
	jsonMark  = strings.NewReplacer(`\u0026`, "&", `\u003c`, "<", `\u003e`, ">", `\/`, "/",
		`\"`, `"`, `\\`, `\`)
)

// readings returns a text and its decoded forms: base64, hexadecimal, JSON escapes and percent-encoding.
func readings(text string) []string {
	var decoded strings.Builder
	for _, run := range base64Run.FindAllString(text, -1) {
		run = strings.NewReplacer("-", "+", "_", "/").Replace(run)
		for from := range 4 {
			part := run[from:]
			if b, err := base64.RawStdEncoding.DecodeString(part[:len(part)/4*4]); err == nil {
				decoded.Write(b)
				decoded.WriteByte('\n')
			}
			if b, err := base64.RawStdEncoding.DecodeString(part); err == nil {
				decoded.Write(b)
				decoded.WriteByte('\n')
			}
		}
	}
	for _, run := range hexRun.FindAllString(text, -1) {
		for from := range 2 {
			if b, err := hex.DecodeString(run[from : from+(len(run)-from)/2*2]); err == nil {
				decoded.Write(b)
				decoded.WriteByte('\n')
			}
		}
	}
	all := []string{text, decoded.String(), jsonMark.Replace(text)}
	for _, t := range slices.Clone(all) {
		all = append(all, percent.ReplaceAllStringFunc(t, func(s string) string {
			plain, _ := url.PathUnescape(s)
			return plain
		}))
	}
	return all
}

var percent = regexp.MustCompile(`%[0-9a-fA-F]{2}`)

// in returns the names of the canaries that a text contains.
func (c canaries) in(text string) (found []string) {
	all := readings(text)
	for name := range c {
		for _, needle := range c.needles(name) {
			if slices.ContainsFunc(all, func(t string) bool { return strings.Contains(t, needle) }) {
				found = append(found, name)
				break
			}
		}
	}
	slices.Sort(found)
	return found
}

// everywhere returns a line for each canary in each place.
func (c canaries) everywhere(places map[string]string) (found []string) {
	for where, text := range places {
		for _, name := range c.in(text) {
			found = append(found, name+" is in "+where)
		}
	}
	slices.Sort(found)
	return found
}

// The detector finds a secret in each form in which a leak has been seen.
func TestTheDetectorFindsCanaries(t *testing.T) {
	t.Parallel()
	c := canaries{"token": "c4nary/of+a&long token-23456789", "key": appKey()}
	value := c["token"]
	body := strings.Split(appKey(), "\n")[5]
	for _, text := range []string{
		value, "x" + value + "y", value[:len(value)/2+1], url.QueryEscape(value)[:30], url.PathEscape(value),
		hex.EncodeToString([]byte("a" + value)),
		base64.StdEncoding.EncodeToString([]byte("x-access-token:" + value)),
		"Basic " + base64.StdEncoding.EncodeToString([]byte("ab:"+value)) + ".",
		base64.RawURLEncoding.EncodeToString([]byte("a" + value)), jsonOf(value),
		fmt.Sprintf("%q", value), `\x` + hex.EncodeToString([]byte(value)),
	} {
		require.Equal(t, []string{"token"}, c.in("some words, then "+text+" and more"), text)
	}
	require.Equal(t, []string{"key"}, c.in("-- "+body+" --"))
	require.Equal(t, []string{"key"}, c.in(base64.StdEncoding.EncodeToString([]byte(appKey()))))
	require.Empty(t, c.in("nothing of it: c4nary, -----BEGIN RSA PRIVATE KEY-----, x-access-token "+
		base64.StdEncoding.EncodeToString([]byte("x-access-token:other"))))
}

func jsonOf(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}
