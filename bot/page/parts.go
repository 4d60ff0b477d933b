package page

import (
	"encoding/json"
	"hash/fnv"
	"html/template"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// A part is what a page shows anew by itself: a section, or an entry of the timeline. A page says
// which it shows, by their ids and hashes, and is given those that look otherwise now.
type part struct {
	ID, Hash string
	HTML     template.HTML // an element with the id, and data-hash
}

// sections are the parts before the timeline.
var sections = []string{"top", "report", "plan", "tasks", "diff", "pictures", "shares"}

func (v sessionPage) parts() (before, entries []part, err error) {
	names := sections
	if !v.Code || v.Earlier {
		names = sections[:1]
	}
	for _, name := range names {
		one, err := renderPart(name, name, v)
		if err != nil {
			return nil, nil, err
		}
		before = append(before, one)
	}
	for _, e := range v.Entries {
		one, err := renderPart("entry", e.ID, struct {
			entry
			Session string
		}{e, v.Session.ID})
		if err != nil {
			return nil, nil, err
		}
		entries = append(entries, one)
	}
	return before, entries, nil
}

// renderPart renders a template that is one element.
func renderPart(name, id string, data any) (part, error) {
	var b strings.Builder
	if err := pages.ExecuteTemplate(&b, name, data); err != nil {
		return part{}, err
	}
	h := fnv.New64a()
	_, _ = io.WriteString(h, b.String())
	hash := strconv.FormatUint(h.Sum64(), 36)
	tag, rest, _ := strings.Cut(b.String(), " ")
	return part{id, hash, template.HTML(tag + ` data-hash="` + hash + `" ` + rest)}, nil //nolint:gosec // html/template has escaped it
}

// mostAsked is how many bytes a page may say that it shows.
const mostAsked = 1 << 20

// A change is a part that looks otherwise than a page shows it.
type change struct {
	ID    string        `json:"id"`
	HTML  template.HTML `json:"html"`
	After string        `json:"after,omitempty"` // the entry of the timeline before it
}

// readShown reads what a page says that it shows: hashes by ids.
func readShown(from io.Reader) (shown map[string]string, err error) {
	err = json.NewDecoder(from).Decode(&shown)
	return shown, err
}

// serveParts answers a page that says what it shows with what looks otherwise now, in the order of
// the page.
func (p *Pages) serveParts(w http.ResponseWriter, r *http.Request) {
	a, ok := p.access(w, r, r.PathValue("session"))
	if !ok {
		return
	}
	shown, err := readShown(http.MaxBytesReader(w, r.Body, mostAsked))
	if err != nil {
		http.Error(w, "what the page shows cannot be read", http.StatusBadRequest)
		return
	}
	view, err := p.sessionView(r, a, "")
	if err != nil {
		p.fail(w, err)
		return
	}
	before, entries, err := view.parts()
	if err != nil {
		p.fail(w, err)
		return
	}
	changes := []change{}
	for _, one := range before {
		if shown[one.ID] != one.Hash {
			changes = append(changes, change{ID: one.ID, HTML: one.HTML})
		}
	}
	after := ""
	for _, one := range entries {
		if shown[one.ID] != one.Hash {
			changes = append(changes, change{one.ID, one.HTML, after})
		}
		after = one.ID
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(changes)
}
