package catalog

import (
	"html"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/backports"
)

// This file reads where a text may name a branch or a tag.

const aBranch = "[`\"']?([A-Za-z0-9][A-Za-z0-9._/+-]*)"

var (
	// namesBase are the forms that name a branch or tag and nothing else: "branch: release/1.4" at the
	// beginning of a clause.
	namesBase = regexp.MustCompile(
		`(?im)(?:^|[.,;:(]\s*|\s-\s|\band\s+)(?:base\s+)?branch\s*[:=]\s*` + aBranch)
	// mayNameBase are the forms in which a branch or tag may stand, or anything else: "on release/1.4",
	// "on the branch checkout-v2", "customers on 1.4.3", "release/1.4: the total is wrong".
	mayNameBase = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:base|tag)\s*[:=]\s*` + aBranch),
		regexp.MustCompile(`(?i)\b(?:the\s+|on\s+)?(?:branch|tag)\s+` + aBranch),
		regexp.MustCompile(`(?i)\bthe\s+` + aBranch + `\s+branch\b`),
		regexp.MustCompile(`(?i)\b(?:on|running|against)\s+\*?(?:version\s+|release\s+)?` + aBranch),
		regexp.MustCompile(`(?m)^\s*` + aBranch + `:\s`),
	}
	// likeBranch matches what is a branch or a version by its form.
	likeBranch = regexp.MustCompile(`^[\w.-]+(?:/[\w.+-]+)+$|^v?\d+(?:\.\d+)+|^v\d+$|\w-\w`)
	// otherwise matches clauses about what works, or is not so.
	otherwise = regexp.MustCompile(`(?i)\b(?:works?|worked|working|fine|ok|okay|good|green|pass(?:es|ed)?|` +
		`not|never|cannot|unlike|compared|already|fixed|since|until|before|without|upgrad\w*|` +
		`migrat\w*)\b|n['’]t\b`)
	clauseEnd = regexp.MustCompile(`[;!?\n]|[.,]\s|\b(?:but|and|while|whereas)\b`)
	isHash    = regexp.MustCompile(`^[0-9a-f]{7,64}$`)
)

// A mention is a word in a place where a branch or a tag may stand.
type mention struct {
	word    string
	sure    bool // it stands where nothing else does
	address bool // of an address, in which a path may follow
}

// baseMentions returns what a text says in places where a branch or a tag may stand: only what is sure if
// there is any.
func baseMentions(text string, r repository.Repository) (all []mention) {
	add := func(m mention) {
		m.word = strings.TrimRight(m.word, ".,;:!?/-*")
		for _, prefix := range []string{"origin/", "refs/heads/", "refs/tags/"} {
			m.word = strings.TrimPrefix(m.word, prefix)
		}
		if m.word != "" && !isHash.MatchString(m.word) {
			all = append(all, m)
		}
	}
	for _, m := range namesBase.FindAllStringSubmatch(text, -1) {
		add(mention{word: m[1], sure: true})
	}
	if len(all) > 0 {
		return all
	}
	for _, address := range webAddress.FindAllString(text, -1) {
		if p := pageAt(address, r); p.Ref != "" && p.Kind != host.APage {
			add(mention{word: p.Ref, address: true})
		}
	}
	for _, clause := range clauseEnd.Split(webAddress.ReplaceAllString(text, " "), -1) {
		if otherwise.MatchString(clause) {
			continue
		}
		for _, form := range mayNameBase {
			for _, m := range form.FindAllStringSubmatch(clause+" ", -1) {
				add(mention{word: m[1]})
			}
		}
	}
	return all
}

// pageAt returns what an address of a repository shows; it is empty for any other.
func pageAt(address string, r repository.Repository) host.Page {
	path, fragment, _ := host.BelowPage(r.Page(), html.UnescapeString(address))
	p, _ := host.ReadPage(path, fragment)
	return p
}

// mayMean reports whether a mention may mean the branch or tag of that name.
func (m mention) mayMean(name string) bool {
	switch {
	case name == m.word:
		return m.sure || m.address || likeBranch.MatchString(name) || len(name) > 3
	case m.address:
		return strings.HasPrefix(m.word, name+"/")
	}
	return (m.sure || likeBranch.MatchString(m.word)) && strings.ContainsAny(m.word, "0123456789-") &&
		len(m.word) > 2 && backports.EndsIn(name, m.word)
}

// find returns the names of the branches or tags that a mention may mean.
func (m mention) find(all []git.ReleaseBranch, r repository.Repository) (names []string) {
	all = slices.DeleteFunc(slices.Clone(all), func(b git.ReleaseBranch) bool { return !m.mayMean(b.Name) })
	if m.address { // the longest, if one begins as another does
		slices.SortStableFunc(all, func(a, b git.ReleaseBranch) int { return len(b.Name) - len(a.Name) })
		all = all[:min(len(all), 1)]
	} else {
		all = FindBranches(r, all, m.word)
	}
	for _, b := range all {
		names = append(names, b.Name)
	}
	return names
}
