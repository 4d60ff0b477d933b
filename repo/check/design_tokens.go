package check

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/tdewolff/parse/v2/css"
)

const (
	maxTokenFiles = 20_000   // looked at by name
	maxTokenBytes = 32 << 20 // read
	maxTokens     = 20_000
	maxValue      = 1 << 10 // bytes of one
	rem           = 16      // pixels, as browsers begin
)

// What a length is for.
const (
	forSpace = 1 << iota
	forFont
	forRadius
)

// A token is a name that the project gives a colour or a length.
type token struct {
	name, path string
	dialect    string // css, scss, less: where its name is understood; theme: a script's or JSON
	alias      bool   // its value is another token: it says what it is for
	colour     colour
	isColour   bool
	bare       bool    // three numbers that hsl() wants around it
	px         float64 // of a length
	purpose    int     // forSpace, … ; none: not a length
}

// tokens are what a project names.
type tokens struct {
	raw     map[string]definition // by name with its --, $ or @
	colours []*token
	lengths []*token
	kinds   int // the purposes that lengths have
}

type definition struct {
	value, path string
	weight      int // of two definitions the heavier one counts, then the first
}

// readTokens reads the custom properties of :root, the variables of SCSS and Less, and the
// files that a project calls its theme.
func readTokens(tree fs.FS) (*tokens, error) {
	t := &tokens{raw: map[string]definition{}}
	files, bytes := 0, 0
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch files++; {
		case err != nil && name != "." && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)):
			return nil
		case err != nil:
			return err
		case files > maxTokenFiles || bytes > maxTokenBytes || len(t.raw) > maxTokens:
			return fs.SkipAll
		case d.IsDir() && foreign(name):
			return fs.SkipDir
		case !d.Type().IsRegular() || !mayName(name):
			return nil
		}
		text, ok, err := readText(tree, name)
		if ok {
			bytes += len(text)
			t.collect(name, text)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	t.settle()
	return t, nil
}

// foreign are folders of what others wrote or what is built.
func foreign(dir string) bool {
	switch base := path.Base(dir); base {
	case "node_modules", "vendor", "dist", "build", "coverage", "target":
		return true
	default:
		return base != "." && strings.HasPrefix(base, ".")
	}
}

var themeFile = regexp.MustCompile(`(?i)(^|[._-])(tokens?|theme|colou?rs?|palette)([._-]|$)`)

func isTheme(name string) bool {
	switch path.Ext(name) {
	case ".json", ".ts", ".js":
		return themeFile.MatchString(strings.TrimSuffix(path.Base(name), path.Ext(name)))
	}
	return false
}

func mayName(name string) bool {
	switch path.Ext(name) {
	case ".css", ".scss", ".less", ".html", ".htm", ".gohtml", ".tmpl", ".vue", ".svelte":
		return !strings.Contains(path.Base(name), ".min.")
	}
	return isTheme(name)
}

func (t *tokens) collect(name, text string) {
	switch kind := path.Ext(name)[1:]; kind {
	case "css", "scss", "less":
		if kind != "css" || strings.Contains(text, "--") {
			t.collectSheet(parseSheet(text, 0, kind), name)
		}
	case "json", "ts", "js":
		scanTheme(text, func(key, value string) {
			t.define("theme "+key, definition{value: value, path: name, weight: 2})
		})
	default:
		if !strings.Contains(text, "<style") || !strings.Contains(text, "--") {
			return
		}
		_, sheets := parseMarkup(text, kind)
		for _, s := range sheets {
			t.collectSheet(s, name)
		}
	}
}

func (t *tokens) collectSheet(s *sheet, name string) {
	for _, rule := range s.rules {
		for _, d := range rule.decls {
			if !d.defines() {
				continue
			}
			weight := 2
			if d.prop[0] == '-' {
				weight = rule.reach()
			} else if len(rule.selectors) > 0 || len(rule.at) > 0 {
				weight = 0
			}
			if weight > 0 {
				t.define(d.prop, definition{value: d.raw, path: name, weight: weight})
			}
		}
	}
}

// reach says how far a custom property of a rule is known: 2 everywhere, 1 in a theme or
// on some devices, 0 in a part of the page.
func (r *styleRule) reach() int {
	reach := 0
	for _, s := range r.selectors {
		switch root := s == ":root" || s == "html" || s == ":host" || s == "body" || s == "*"; {
		case root:
			reach = 2
		case strings.HasPrefix(s, ":root") || strings.HasPrefix(s, "html") || strings.HasPrefix(s, "[data-") ||
			strings.HasPrefix(s, ".dark") || strings.HasPrefix(s, ".light") || strings.HasPrefix(s, ".theme"):
			reach = max(reach, 1)
		}
	}
	if len(r.selectors) == 0 && r.within("@theme") {
		reach = 2
	}
	for _, at := range r.at {
		if !strings.HasPrefix(at, "@layer") && !strings.HasPrefix(at, "@theme") {
			reach = min(reach, 1)
		}
	}
	return reach
}

func (t *tokens) define(key string, d definition) {
	if old, ok := t.raw[key]; len(d.value) > maxValue || ok && old.weight >= d.weight {
		return
	}
	t.raw[key] = d
}

// settle works out what each name stands for.
func (t *tokens) settle() {
	for key, d := range t.raw {
		one := &token{name: key, path: d.path, dialect: "css"}
		switch {
		case strings.HasPrefix(key, "theme "):
			one.name, one.dialect = strings.TrimPrefix(key, "theme "), "theme"
		case key[0] == '$':
			one.dialect = "scss"
		case key[0] == '@':
			one.dialect = "less"
		}
		value := t.expand(d.value)
		one.alias = value != d.value
		if one.colour, one.isColour = parseColour(value); !one.isColour {
			one.colour, one.isColour = parseColour("hsl(" + value + ")")
			one.isColour = one.isColour && strings.Count(value, "%") == 2
			one.bare = one.isColour
		}
		if one.isColour {
			t.colours = append(t.colours, one)
		} else if px, ok := parseLength(value, one.dialect == "theme"); ok && purpose(one.name) != 0 {
			one.px, one.purpose = px, purpose(one.name)
			t.kinds |= one.purpose
			t.lengths = append(t.lengths, one)
		}
	}
	order := func(a, b *token) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.path, b.path)) }
	slices.SortFunc(t.colours, order)
	slices.SortFunc(t.lengths, order)
}

// purpose reads from a token's name what it is for.
func purpose(name string) (kinds int) {
	holds := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(name), w) })
	}
	switch {
	case holds("weight", "breakpoint", "screen", "width", "height", "line"):
		return 0
	case holds("radius", "radii", "rounded"):
		return forRadius
	case holds("font", "text"):
		return forFont
	case holds("space", "spacing", "gap", "gutter", "padding", "margin"):
		return forSpace
	case holds("size"):
		return forSpace | forFont
	}
	return 0
}

// parseLength reads one length in px or rem, and a bare number where a theme may hold one.
func parseLength(text string, bare bool) (px float64, ok bool) {
	scale := 1.0
	number, isPx := strings.CutSuffix(strings.ToLower(strings.TrimSpace(text)), "px")
	if !isPx {
		var isRem bool
		if number, isRem = strings.CutSuffix(number, "rem"); isRem {
			scale = rem
		} else if !bare {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	return v * scale, err == nil && v > -1e6 && v < 1e6
}

// expand puts values in the place of the names that a value holds, as far as they are
// known. What would grow without end is given up.
func (t *tokens) expand(value string) string {
	const rounds, most = 8, 4096
	for range rounds {
		if len(value) > most {
			break
		}
		next := t.expandOnce(value)
		if next == value {
			break
		}
		value = next
	}
	return strings.TrimSpace(value)
}

func (t *tokens) expandOnce(value string) string {
	if !strings.ContainsAny(value, "$@") && !strings.Contains(value, "var(") {
		return value
	}
	var out strings.Builder
	ws := lex(value, 0)
	for i := 0; i < len(ws); i++ {
		switch w := ws[i]; {
		case w.kind == css.FunctionToken && strings.EqualFold(w.text, "var("):
			end := closing(ws, i)
			out.WriteString(t.variable(value, ws[i+1:max(end, i+1)]))
			i = end
		case w.is(css.DelimToken, "$") && i+1 < len(ws) && ws[i+1].kind == css.IdentToken:
			i++
			out.WriteString(t.named("$" + ws[i].text))
		case w.kind == css.AtKeywordToken:
			out.WriteString(t.named(w.text))
		default:
			out.WriteString(w.text)
		}
	}
	return out.String()
}

func (t *tokens) named(name string) string {
	if d, ok := t.raw[name]; ok {
		return d.value
	}
	return name
}

// variable is what var() with these words in it stands for.
func (t *tokens) variable(value string, in []word) string {
	in = trimWords(in)
	if len(in) == 0 {
		return "var()"
	}
	if d, ok := t.raw[in[0].text]; ok {
		return d.value
	}
	for i, w := range in {
		if w.kind == css.CommaToken && i+1 < len(in) {
			last := in[len(in)-1]
			return value[in[i+1].at : last.at+len(last.text)]
		}
	}
	return "unknown(" + strings.TrimPrefix(in[0].text, "--") + ")"
}

// closing is the index of the bracket that ends what begins at i, or of the last word.
func closing(ws []word, i int) int {
	depth := 0
	for ; i < len(ws); i++ {
		switch ws[i].kind {
		case css.FunctionToken, css.LeftParenthesisToken:
			depth++
		case css.RightParenthesisToken:
			if depth--; depth <= 0 {
				return i
			}
		}
	}
	return len(ws) - 1
}
