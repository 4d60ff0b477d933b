package turntest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/git/repotest"
	"github.com/bobbinhq/bobbin/repo/host/hosttest"
	"github.com/bobbinhq/bobbin/workflow/repository"
)

// A pull request of the bot's own is known by what was pushed, not by the prefix of its branch: here the
// house names branches, as a colleague does. In a fork the commit counts, since anybody's branch may have
// that name.
func TestAnOwnPullRequestIsKnownByItsPush(t *testing.T) {
	t.Parallel()
	const own = "#2 is a pull request of my own: reply in its thread."
	for name, c := range map[string]struct {
		pull hosttest.Pull // beside its branch
		own  bool
	}{
		"opened by hand":                   {hosttest.Pull{Login: "bea"}, true},
		"from the fork":                    {hosttest.Pull{Fork: true, Head: "pushed"}, true},
		"a stranger's branch of that name": {hosttest.Pull{Fork: true, Head: "other"}, false},
		"a colleague's branch":             {hosttest.Pull{Branch: "fix/other"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := openPull(t, "== gpt-5"+reportsTotal+worksUnproven+`
---
expect user "PR #2 is wrong"
call reply {"text": "I look at it."}
---
expect user "look at that branch"
call reply {"text": "I look at it."}
`+worksOn)
			r := &p.Runner.Repositories[0]
			r.Naming.Branch = repository.NameForm{Template: "fix/{slug}-{id}"}
			r.Bases = []string{"fix/*"}
			p.Say("ann", "@bobbin the total is wrong")
			p.Say("bea", "fix it")
			p.Say("bea", "push it unproven")
			branch := p.Session().Branch
			require.Regexp(t, `^fix/`, branch)
			p.commit("main", repotest.Files{"NEWS": "more\n"})
			pull := c.pull
			if pull.Branch == "" {
				pull.Branch = branch
			} else {
				p.branch(pull.Branch)
			}
			switch pull.Head {
			case "pushed":
				pull.Head = p.head(branch)
			case "other":
				pull.Head = p.head("main")
			}
			pull.Base = "main"
			p.host.OpenPull(pull)
			p.Root = ""
			p.Say("ann", "@bobbin PR #2 is wrong")
			if c.own {
				require.Contains(t, p.Text(), own)
				require.Zero(t, p.Session().Pull)
			} else {
				require.NotContains(t, p.Text(), "of my own")
				require.EqualValues(t, 2, p.Session().Pull)
			}
			p.Root = ""
			p.Say("ann", "@bobbin look at that branch, branch: "+branch)
			require.Contains(t, p.Text(), "`"+branch+"` is a branch of my own, and no base.")
		})
	}
}
