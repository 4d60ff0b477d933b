package plaintext

import "strings"

// QuoteLine returns text by others on one line in typographic quotes, which end only where the text does: it
// turns every double quote within into a single one. A sentence of the program quotes others with it.
func QuoteLine(s string) string { return "“" + doubleQuotes.Replace(OneLine(s)) + "”" }

var doubleQuotes = strings.NewReplacer(`"`, "'", "“", "'", "”", "'", "„", "'", "‟", "'", "«", "'", "»", "'", "＂", "'",
	"″", "'", "‶", "'", "〝", "'", "〞", "'", "〟", "'", "❝", "'", "❞", "'", "ˮ", "'", "״", "'", "‴", "'", "''", "'")
