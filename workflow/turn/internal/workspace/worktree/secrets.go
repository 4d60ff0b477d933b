package worktree

import (
	"github.com/bobbinhq/bobbin/workflow/redact"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

// learnSecrets reads secrets from the base's private files, which no agent and no person is shown.
func (t *Trees) learnSecrets(p *Checkout) error {
	files, err := p.Copy.BaseFiles(workfile.IsPrivate)
	if err != nil || len(files) == 0 {
		return err
	}
	var values []string
	for _, text := range files {
		values = append(values, redact.EnvValues(string(text))...)
	}
	p.Secrets = t.Secrets.With(values...)
	return nil
}
