package worktree

import (
	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// learnSecrets reads secrets from the base's private files, which no agent and no person is shown.
func (t *Trees) learnSecrets(p *Checkout) error {
	values, err := privateValues(p.Copy)
	if len(values) > 0 {
		p.Secrets = t.Secrets.With(values...)
	}
	return err
}

// privateValues returns the values in the private files of a workspace's base.
func privateValues(w *git.Workspace) (values []string, err error) {
	files, err := w.BaseFiles(workfile.IsPrivate)
	for _, text := range files {
		values = append(values, redact.EnvValues(string(text))...)
	}
	return values, err
}
