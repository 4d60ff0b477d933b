package plaintext

import (
	"regexp"
	"strings"
)

// QuoteLine returns text by others on one line in typographic quotes, which end only where the text does: it
// turns every double quote within into a single one. A sentence of the program quotes others with it.
func QuoteLine(s string) string {
	return "“" + pairs.ReplaceAllString(doubleQuotes.Replace(OneLine(s)), "'") + "”"
}

// pairs matches single quotes side by side, which look like a double one.
var pairs = regexp.MustCompile("['’‘‚‛′´＇ʹʼ]{2,}")

var doubleQuotes = strings.NewReplacer(`"`, "'", "“", "'", "”", "'", "„", "'", "‟", "'", "«", "'", "»", "'", "＂", "'",
	"″", "'", "‶", "'", "〝", "'", "〞", "'", "〟", "'", "❝", "'", "❞", "'", "ˮ", "'", "״", "'", "‴", "'", "ʺ", "'",
	"❠", "'", "〃", "'", "⹂", "'", "🙶", "'", "🙷", "'", "🙸", "'")
