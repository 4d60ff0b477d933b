package plaintext

import "strings"

// CodeSpan returns s as inline code of Slack's markup. It replaces backticks in s, which would end the code.
func CodeSpan(s string) string { return "`" + strings.ReplaceAll(s, "`", "'") + "`" }
