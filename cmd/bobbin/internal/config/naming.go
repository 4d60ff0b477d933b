package config

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/address"
	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/strictyaml"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// Naming says how the branches and commits of a repository are named: templates with placeholders, and
// regular expressions that names have to match.
type Naming struct {
	Branch        string `yaml:"branch"`         // default: branch_prefix, the title of the work and an id
	BranchPattern string `yaml:"branch_pattern"` // default: every name is allowed
	Title         string `yaml:"title"`          // of commits and pull requests; default: what was done
	TitlePattern  string `yaml:"title_pattern"`  // default: every title is allowed
}

// Forms returns the settings as package repository takes them. A pattern that is no regular expression is
// left out: checkNaming says so.
func (n Naming) Forms() repository.Naming {
	return repository.Naming{
		Branch: repository.NameForm{Template: n.Branch, Pattern: compiled(n.BranchPattern)},
		Title:  repository.NameForm{Template: n.Title, Pattern: compiled(n.TitlePattern)},
	}
}

func compiled(pattern string) *regexp.Regexp {
	if pattern == "" {
		return nil
	}
	expression, err := regexp.Compile(pattern)
	if err != nil {
		return nil
	}
	return expression
}

// checkNaming adds the problems of the names to p.
func (r *Repository) checkNaming(p *strictyaml.Problems, at string) {
	for _, n := range []struct {
		key, template, pattern string
		known                  []string
		needs                  []string
	}{
		{
			"branch", r.Branch, r.BranchPattern, repository.BranchNames,
			[]string{repository.NameSlug, repository.NameID},
		},
		{"title", r.Title, r.TitlePattern, repository.TitleNames, []string{repository.NameSummary}},
	} {
		if _, err := regexp.Compile(n.pattern); err != nil {
			p.At(at+"."+n.key+"_pattern", "%s_pattern %q is no regular expression (RE2): "+
				"%v", n.key, n.pattern, err)
			continue
		}
		if n.template == "" {
			r.checkReachable(p, at+"."+n.key+"_pattern", n.pattern, r.usualName(n.key))
			continue
		}
		if err := repository.CheckTemplate(n.template, n.known); err != nil {
			p.At(at+"."+n.key, "%s %q: %v", n.key, n.template, err)
			continue
		}
		form := repository.NameForm{Template: n.template, Pattern: compiled(n.pattern)}
		if !usesAny(form, n.needs) {
			p.At(at+"."+n.key, "%s %q needs {%s} in it", n.key, n.template, strings.Join(n.needs, "} or {"))
			continue
		}
		r.checkExample(p, at, n.key, form)
		r.checkReachable(p, at+"."+n.key+"_pattern", n.pattern, n.template)
	}
}

// usualName returns the template of the names that a key has by default; empty: they may be anything.
func (r *Repository) usualName(key string) string {
	if key == "branch" {
		return cmp.Or(r.BranchPrefix, "bobbin/") + "{slug}-{id}"
	}
	return ""
}

// checkReachable adds a problem if the texts with which a pattern and a template begin differ: then no name
// is allowed.
func (r *Repository) checkReachable(p *strictyaml.Problems, at, pattern, template string) {
	anchored, ok := strings.CutPrefix(pattern, "^")
	if !ok || template == "" {
		return
	}
	wanted, _ := compiled(anchored).LiteralPrefix()
	text, _, _ := strings.Cut(template, "{")
	if !strings.HasPrefix(wanted, text) && !strings.HasPrefix(text, wanted) {
		p.At(at, "%q matches no name of the form %q; change the pattern, or the template", pattern, template)
	}
}

func usesAny(form repository.NameForm, names []string) bool {
	for _, name := range names {
		if form.Uses(name) {
			return true
		}
	}
	return false
}

// checkExample adds a problem if an example of a name is no branch, or is the base. A pattern is not held
// against it, since it may ask for a ticket of a certain form.
func (r *Repository) checkExample(p *strictyaml.Problems, at, key string, form repository.NameForm) {
	if key != "branch" {
		return
	}
	example := form.Fill(map[string]string{
		repository.NameTicket: "PAY-881",
		repository.NameSlug:   "refunds-are-too-high",
		repository.NameID:     "k3v9x2",
		repository.NameType:   repository.TypeFix,
	})
	if err := address.CheckBranch(example); err != nil {
		p.At(at+".branch", "branch %q makes names such as %q: %v", form.Template, example, err)
	}
}
