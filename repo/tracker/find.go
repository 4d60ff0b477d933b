package tracker

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// maxFound is how many issues of one text are found.
const maxFound = 20

var (
	webLink = regexp.MustCompile(`https?://[^\s<>|"'` + "`" + `\\]{1,500}`)
	// what may stand before and after a key, which is no part of a longer name then
	keyEdge = `(?:^|[^\w/.#-])`
	keyEnd  = regexp.MustCompile(`^(?:$|[^\w/-])`)
)

// Find returns the issues of the trackers that a text names, in the order of the text, links first: at most
// maxFound, each once.
func Find(trackers []*Tracker, text string) (found []Ref) {
	add := func(t *Tracker, key Key) {
		known := slices.ContainsFunc(found, func(r Ref) bool {
			return r.Tracker == t && r.Key.Shown == key.Shown
		})
		if !known && len(found) < maxFound {
			found = append(found, Ref{t, key})
		}
	}
	for _, link := range webLink.FindAllString(text, -1) {
		for _, t := range trackers {
			if key, ok := t.keyOf(strings.TrimRight(link, ".,;:!?)]}*_")); ok {
				add(t, key)
				break
			}
		}
	}
	rest := webLink.ReplaceAllString(text, " ")
	taken := map[string]bool{}
	for _, t := range trackers {
		for _, key := range t.kind.keysIn(rest) {
			if !taken[key.Shown] {
				taken[key.Shown] = true
				add(t, key)
			}
		}
	}
	return found
}

// keyOf returns the issue that a link names, if the link is below the tracker's url.
func (t *Tracker) keyOf(link string) (Key, bool) {
	u, err := url.Parse(link)
	at, wrong := url.Parse(t.URL)
	if err != nil || wrong != nil || !strings.EqualFold(u.Host, at.Host) || u.User != nil {
		return Key{}, false
	}
	rest, below := strings.CutPrefix(u.Path, strings.TrimRight(at.Path, "/")+"/")
	if !below {
		return Key{}, false
	}
	u.Path = rest
	return t.kind.keyIn(u)
}

// keysLike returns the keys of a text that are a configured project, a hyphen and a number or another name
// that id matches.
func (t *Tracker) keysLike(text, id string) (keys []Key) {
	for _, p := range t.Projects {
		project := strings.ToUpper(p)
		for _, name := range named(text, keyEdge+`(`+regexp.QuoteMeta(project)+`-`+id+`)`) {
			keys = append(keys, Key{Project: p, ID: name, Shown: name})
		}
	}
	return keys
}

// named returns the first groups of the matches of a form that are no part of a longer name.
func named(text, form string) (names []string) {
	for _, m := range regexp.MustCompile(form).FindAllStringSubmatchIndex(text, 10*maxFound) {
		if keyEnd.MatchString(text[m[3]:]) {
			names = append(names, text[m[2]:m[3]])
		}
	}
	return names
}

// numbersLike returns the keys of a text that are a configured path, # and a number.
func (t *Tracker) numbersLike(text string) (keys []Key) {
	for _, p := range t.Projects {
		for _, number := range named(text, `(?i)`+keyEdge+regexp.QuoteMeta(p)+`#(\d{1,9})`) {
			keys = append(keys, numbered(p, number))
		}
	}
	return keys
}

// numbered returns the key of an issue that a path and a number name.
func numbered(project, number string) Key {
	if n, err := strconv.Atoi(number); err == nil {
		number = strconv.Itoa(n)
	}
	return Key{Project: project, ID: number, Shown: project + "#" + number}
}
