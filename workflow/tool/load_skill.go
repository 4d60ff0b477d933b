package tool

import (
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/skill"
)

// LoadSkill is the tool that gives an agent the text of a skill. find and names are those of
// a [skill.Set], or less, where an agent is to see less. loaded hears of each skill that was
// given; it may be nil.
func LoadSkill(find func(name string) (skill.Skill, bool), names func() []string, loaded func(name string)) model.Tool {
	return model.Tool{Name: "load_skill"}
}
