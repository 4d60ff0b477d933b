package design

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/design/markup"
	"github.com/bobbinhq/bobbin/repo/design/stylesheet"
	"github.com/bobbinhq/bobbin/repo/design/token"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// maxFindings is as many as one reader mends in a go.
const maxFindings = 50

// The rules of design; the names are stable.
const (
	literalColour = "literal-colour"
	inlineStyle   = "inline-style"
	magicSpacing  = "magic-spacing"
	focusRemoved  = "focus-removed"
	lowContrast   = "contrast"
	clickTarget   = "click-target"
	imageAlt      = "image-alt"
	noLabel       = "label"
	buttonName    = "button-name"
	motion        = "motion"
	important     = "important"
)

// A Finding is one place of a change that breaks a rule of design.
type Finding struct {
	Path string
	Line int    // on the branch, from 1
	Rule string // literal-colour, inline-style, … ; a stable name
	What string // what stands there
	Cure string // what to write instead; names the project's own token where one has that value
}

// String is one line: web/cart.css:12: literal colour #0af; use var(--accent)
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s; %s", f.Path, f.Line, f.What, f.Cure)
}

// Check looks at what a change adds or changes, and only at that: what stood there before
// is nobody's fault here, also when it is only moved or indented anew. base and branch are
// whole trees, changed the paths that were added or modified. It reads stylesheets, markup
// and the JSX of scripts, regular files of valid UTF-8 up to 1 MiB; all else is passed
// over. It gives at most 50 findings, by path and line.
func Check(base, branch fs.FS, changed []string) ([]Finding, error) {
	var known *token.Tokens // read when a file needs them: most changes hold no frontend
	var out []Finding
	for _, name := range slices.Compact(slices.Sorted(slices.Values(changed))) {
		src, err := openSource(base, branch, name)
		if err != nil {
			return nil, fmt.Errorf("design: design of %s: %w", name, err)
		}
		if src == nil || !src.anyChange() {
			continue
		}
		if known == nil {
			if known, err = token.ReadTokens(branch); err != nil {
				return nil, fmt.Errorf("design: design tokens: %w", err)
			}
		}
		src.tokens = known
		if out = append(out, src.applyRules(maxFindings-len(out))...); len(out) == maxFindings {
			break
		}
	}
	return out, nil
}

// applyRules applies every rule to a file.
func (s *changedFile) applyRules(most int) []Finding {
	s.parseFile()
	s.judgeSheets()
	s.judgeElements()
	slices.SortStableFunc(s.found, func(a, b suspicion) int {
		return cmp.Or(cmp.Compare(s.lineOf(a.at), s.lineOf(b.at)), cmp.Compare(a.at, b.at), cmp.Compare(a.rule, b.rule))
	})
	var out []Finding
	for _, f := range s.found[:min(len(s.found), most)] {
		out = append(out, Finding{s.path, s.lineOf(f.at), f.rule, oneLine(f.what), oneLine(f.cure())})
	}
	return out
}

// oneLine keeps what is quoted from a file short and on one line.
func oneLine(text string) string {
	return plaintext.CutLine(plaintext.OneLine(text), 300)
}

// parseFile takes the file apart into stylesheets and elements.
func (s *changedFile) parseFile() {
	switch kind := strings.TrimPrefix(path.Ext(s.path), "."); kind {
	case "css", "scss", "less":
		s.sheets = append(s.sheets, stylesheet.ParseSheet(s.text, 0, kind))
	case "jsx", "tsx", "js":
		s.elements = markup.ScanJSX(s.text)
	case "html", "htm", "gohtml", "tmpl", "vue", "svelte":
		s.elements, s.sheets = markup.ParseMarkup(s.text, kind)
	}
}
