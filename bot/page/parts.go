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

// A part is a piece of a page that can be updated alone: a section, or a timeline entry. A page posts the ids
// and hashes of the parts that it shows, and gets the parts that have changed.
type part struct {
	ID, Hash string
	HTML     template.HTML // an element with id and data-hash attributes
}

// sections lists the ids of the parts before the timeline.
var sections = []string{"top", "outcome", "report", "diff", "pictures", "plan", "tasks", "shares"}

func (s sessionPage) parts() (before, entries []part, err error) {
	names := sections
	switch {
	case s.Earlier:
		names = sections[:1]
	case !s.Code:
		names = sections[:2]
	}
	for _, name := range names {
		one, err := renderPart(name, name, s)
		if err != nil {
			return nil, nil, err
		}
		before = append(before, one)
	}
	for _, e := range s.Entries {
		one, err := renderPart("entry", e.ID, struct {
			entry
			Session string
		}{e, s.Session.ID})
		if err != nil {
			return nil, nil, err
		}
		entries = append(entries, one)
	}
	return before, entries, nil
}

// renderPart renders a template whose output is one element, and adds the hash to it.
func renderPart(name, id string, data any) (part, error) {
	var b strings.Builder
	if err := pages.ExecuteTemplate(&b, name, data); err != nil {
		return part{}, err
	}
	h := fnv.New64a()
	_, _ = io.WriteString(h, b.String())
	hash := strconv.FormatUint(h.Sum64(), 36)
	tag, rest, _ := strings.Cut(b.String(), " ")
	// html/template has escaped it
	return part{id, hash, template.HTML(tag + ` data-hash="` + hash + `" ` + rest)}, nil //nolint:gosec
}

// maxAsked is the limit in bytes for the body of a parts request.
const maxAsked = 1 << 20

// A change is a part that differs from what the page shows.
type change struct {
	ID    string        `json:"id"`
	HTML  template.HTML `json:"html"`
	After string        `json:"after,omitempty"` // id of the timeline entry that precedes it
}

// readShown reads the body of a parts request: hashes by part id.
func readShown(from io.Reader) (shown map[string]string, err error) {
	err = json.NewDecoder(from).Decode(&shown)
	return shown, err
}

// serveParts responds with the parts that differ from those that the page shows, in the order of the page.
func (p *Pages) serveParts(w http.ResponseWriter, r *http.Request) {
	a, ok := p.access(w, r, r.PathValue("session"))
	if !ok {
		return
	}
	shown, err := readShown(http.MaxBytesReader(w, r.Body, maxAsked))
	if err != nil {
		http.Error(w, "what the page shows cannot be read", http.StatusBadRequest)
		return
	}
	view, err := p.sessionView(r, a, "")
	if err != nil {
		p.fail(w, r, err)
		return
	}
	before, entries, err := view.parts()
	if err != nil {
		p.fail(w, r, err)
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
