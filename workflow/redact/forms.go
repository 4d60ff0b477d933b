package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// longLine is the minimum length in bytes of a line of a multi-line value that is masked by itself, such as
// a line of a PEM key: logs split such values into lines.
const longLine = 40

// forms returns the forms in which a value may appear in a text. It leaves out values shorter than
// shortest, because they appear in ordinary text.
func forms(value string) (all []string) {
	plain := []string{value}
	if strings.Contains(value, "\n") {
		plain = nil
		for line := range strings.Lines(value) {
			if line = strings.TrimSpace(line); len(line) >= longLine {
				plain = append(plain, line)
			}
		}
	}
	for _, p := range plain {
		if len(p) >= shortest {
			all = slices.Concat(all, escaped(p), encoded(p))
		}
	}
	return all
}

func escaped(p string) []string {
	all := []string{
		p, url.QueryEscape(p), url.PathEscape(p), strings.TrimPrefix(url.UserPassword("", p).String(), ":"),
	}
	if quoted, err := json.Marshal(p); err == nil {
		all = append(all, string(quoted[1:len(quoted)-1]))
	}
	return all
}

// encoded returns the value in hex, and the part that is the same in every base64 text that contains the
// value, at each of the three possible offsets: Basic authentication has a user name and a colon before the
// value.
func encoded(p string) []string {
	all := []string{hex.EncodeToString([]byte(p)), strings.ToUpper(hex.EncodeToString([]byte(p)))}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			text := encoding.EncodeToString([]byte(strings.Repeat("x", before) + p))
			if (before+len(p))%3 != 0 {
				text = text[:len(text)-1] // the last character also depends on what follows the value
			}
			all = append(all, text[(before*8+5)/6:])
		}
	}
	return all
}
