package plaintext

import (
	"regexp"
	"strings"
)

// QuoteLine returns text by others on one line in typographic quotes, which end only where the text does: it
// turns every double quote within into a single one, but for those in code between backticks, which is shown
// as code. A sentence of the program quotes others with it.
func QuoteLine(s string) string {
	parts := strings.Split(OneLine(s), "`")
	closed := len(parts)%2 == 1
	for i, part := range parts {
		if inCode := closed && i%2 == 1; !inCode {
			parts[i] = pairs.ReplaceAllString(doubleQuotes.Replace(part), "'")
		}
	}
	return "“" + strings.Join(parts, "`") + "”"
}

// pairs matches single quotes side by side, which look like a double one.
var pairs = regexp.MustCompile("['’‘‚‛′´＇ʹʼ]{2,}")

var doubleQuotes = strings.NewReplacer(`"`, "'", "“", "'", "”", "'", "„", "'", "‟", "'", "«", "'", "»", "'",
	"＂", "'",
	"″", "'", "‶", "'", "〝", "'", "〞", "'", "〟", "'", "❝", "'", "❞", "'", "ˮ", "'", "״", "'", "‴", "'",
	"ʺ", "'",
	"❠", "'", "〃", "'", "⹂", "'", "🙶", "'", "🙷", "'", "🙸", "'")
