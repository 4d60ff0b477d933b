package host

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// A Webhook verifies that a message comes from the host.
type Webhook struct {
	Kind   string
	Secret remote.Secret
}

// Signed reports whether the sender of the body knows the secret. GitHub and Gitea sign the body; GitLab
// sends the secret itself.
func (w Webhook) Signed(h http.Header, body []byte) bool {
	if w.Secret == "" {
		return false
	}
	if w.Kind == GitLab {
		return subtle.ConstantTimeCompare([]byte(h.Get("X-Gitlab-Token")), []byte(w.Secret)) == 1
	}
	signature := h.Get("X-Gitea-Signature")
	if w.Kind == GitHub {
		signature = strings.TrimPrefix(h.Get("X-Hub-Signature-256"), "sha256=")
	}
	sent, err := hex.DecodeString(signature)
	mac := hmac.New(sha256.New, []byte(w.Secret))
	mac.Write(body)
	return err == nil && hmac.Equal(sent, mac.Sum(nil))
}
