package proposal

import (
	"io/fs"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/owners"
	"github.com/bobbinhq/bobbin/repo/host"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store/pullrequest"
)

// A House is what a repository wants on its pull requests besides their text.
type House struct {
	Repository repository.Repository
	Base       fs.FS // the files that the change was made from: no change decides who reviews it
	// Slack ids of who approved the change and who asked for it
	Approver, Requester string
}

// Template returns the repository's template, as it goes into a pull request, or an empty string.
func (h House) Template(known Known) string {
	at := h.Repository.Pulls.Papers.Template
	switch at {
	case repository.TemplateOff:
		return ""
	case "":
		at = FindTemplate(h.Repository.Pulls.Kind, h.Base)
	}
	if at == "" {
		return ""
	}
	text, err := fs.ReadFile(h.Base, at)
	if err != nil {
		return ""
	}
	return PullRequestTemplate(string(text), known)
}

// maxPeople is how many people and teams are asked for each purpose.
const maxPeople = 10

// Papers returns the labels of a pull request that changes these files, and who is asked.
func (h House) Papers(paths []string) []pullrequest.Wanted {
	of := h.Repository.Pulls.Papers
	return []pullrequest.Wanted{
		{What: string(host.Labels), Names: of.Labels},
		{What: string(host.Assignees), Names: h.people(of.Assignees, nil)},
		{What: string(host.Reviewers), Names: h.people(of.Reviewers, paths)},
	}
}

// people returns the logins that names stand for.
func (h House) people(names, paths []string) (logins []string) {
	add := func(login string) {
		known := slices.ContainsFunc(logins, func(o string) bool { return strings.EqualFold(o, login) })
		if login != "" && !known && len(logins) < maxPeople {
			logins = append(logins, login)
		}
	}
	for _, name := range names {
		switch name {
		case repository.Requester:
			add(h.Repository.Pulls.Login(h.Requester))
		case repository.Approver:
			add(h.Repository.Pulls.Login(h.Approver))
		case repository.Codeowners:
			for _, owner := range h.owners(paths) {
				add(h.login(owner))
			}
		default:
			add(name)
		}
	}
	return logins
}

// owners returns whom CODEOWNERS names for these files.
func (h House) owners(paths []string) (all []string) {
	var file *owners.File
	for _, at := range owners.CodeownersPaths {
		if text, err := fs.ReadFile(h.Base, at); err == nil {
			file = owners.Parse(at, text)
			break
		}
	}
	for _, path := range paths {
		all = append(all, file.Of(path)...)
	}
	return all
}

// login returns the login of an owner, or a team as acme/money. An email address is one of a person whom
// people maps by it and by a login. It is empty for whoever cannot be asked.
func (h House) login(owner string) string {
	pulls := h.Repository.Pulls
	name, isName := strings.CutPrefix(owner, "@")
	switch {
	case !isName:
		return pulls.Login(pulls.People[strings.ToLower(owner)])
	case strings.HasPrefix(name, "@"): // a role at GitLab
		return ""
	case strings.Contains(name, "/") && pulls.Kind == host.GitLab:
		return ""
	}
	return name
}
