package worktree

import (
	"io/fs"

	"github.com/bobbinhq/bobbin/workflow/skill"
)

// repositorySkills lists the folders of a repository that may hold skills.
var repositorySkills = []string{".bobbin/skills", ".agents/skills"}

// loadSkills returns the built-in and the operator's skills, and those of the repository, which are only
// advice.
func (t *Trees) loadSkills(p *Checkout) skill.Set {
	var own []skill.Skill
	for _, folder := range repositorySkills {
		sub, err := fs.Sub(p.Copy.FS(), folder)
		if err != nil {
			continue
		}
		found, problems := skill.Read(sub, skill.Repository)
		own = append(own, found...)
		t.logSkillProblems(problems)
	}
	set, problems := skill.NewSet(t.Skills, nil, own)
	t.logSkillProblems(problems)
	return set
}

func (t *Trees) logSkillProblems(problems []skill.Problem) {
	for _, p := range problems {
		t.Log.Warn("a skill of the repository is left out", "problem", p.String())
	}
}
