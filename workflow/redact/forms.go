package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
)

// longLine is how long a line of a given value has to be to count by itself, as those of a
// key in a block do: logs break such a block up.
const longLine = 40

// forms are the ways in which a value may stand in a text. What is shorter than shortest
// stands in ordinary text, and is left out.
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
	all := []string{p, url.QueryEscape(p), url.PathEscape(p), strings.TrimPrefix(url.UserPassword("", p).String(), ":")}
	if quoted, err := json.Marshal(p); err == nil {
		all = append(all, string(quoted[1:len(quoted)-1]))
	}
	return all
}

// encoded has hex, and what is the same in every base64 text that holds the value,
// wherever in it: before Basic and Bearer go a user's name and a colon.
func encoded(p string) []string {
	all := []string{hex.EncodeToString([]byte(p)), strings.ToUpper(hex.EncodeToString([]byte(p)))}
	for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
		for before := range 3 {
			text := encoding.EncodeToString([]byte(strings.Repeat("x", before) + p))
			if (before+len(p))%3 != 0 {
				text = text[:len(text)-1] // it also says what comes after
			}
			all = append(all, text[(before*8+5)/6:])
		}
	}
	return all
}
