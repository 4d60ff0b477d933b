// Package look is what all pages have in common: the palette, light and dark, as one style sheet,
// and code and diffs in colours. Colours are classes of the sheet: a page needs no style of its own
// in it, and its policy can forbid that.
package look

import (
	_ "embed"
	"net/http"
	"strings"
	"time"
)

//go:embed look.css
var sheet string

// ServeSheet gives the style sheet.
func ServeSheet(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "look.css", time.Time{}, strings.NewReader(sheet))
}
