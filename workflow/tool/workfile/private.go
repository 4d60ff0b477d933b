package workfile

import (
	"context"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow/redact"
)

// IsPrivate reports whether a file usually holds secrets, by its name: variables of the environment, logins
// or a private key. Examples of such files do not, and neither do public keys and certificates.
func IsPrivate(name string) bool {
	name = strings.ToLower(path.Base(name))
	example := []string{"example", "sample", "template", "dist", "defaults"}
	if kind, ok := strings.CutPrefix(name, ".env."); ok {
		return !slices.Contains(example, kind)
	}
	if kind, ok := strings.CutSuffix(name, ".env"); ok && kind != "" {
		return !slices.ContainsFunc(example, func(e string) bool { return strings.Contains(kind, e) })
	}
	return slices.Contains(logins, name) || isPrivateKey(name)
}

// logins are the names of files with variables and passwords.
var logins = []string{
	".env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".git-credentials", ".htpasswd",
	".dockercfg",
}

var (
	// sshKey matches the name that ssh-keygen gives to a private key, perhaps with a word more.
	sshKey = regexp.MustCompile(`^(?:[\w.-]*[._-])?id_(?:rsa|dsa|ecdsa|ed25519)[\w-]*` +
		`(?:\.(?:old|bak|orig))?$`)
	// certificate matches the names of .pem files with certificates and other things that anybody may see.
	certificate = regexp.MustCompile(`cert|crt|chain|bundle|root|csr|crl|dhparam|(?:^|[._-])ca(?:[._-]|$)`)
)

// isPrivateKey reports whether a file holds a private key, by its name in lower case.
func isPrivateKey(name string) bool {
	kind := path.Ext(name)
	name = strings.TrimSuffix(name, kind)
	switch kind {
	case ".p12", ".pfx", ".p8", ".pk8", ".ppk", ".jks", ".keystore":
		return true
	case ".key":
		return !strings.Contains(name, "pub")
	case ".pem":
		return !strings.Contains(name, "pub") &&
			(strings.Contains(name, "key") || !certificate.MatchString(name))
	}
	return sshKey.MatchString(name + kind)
}

// maxRead is how many bytes of a private file are read.
const maxRead = 64 << 10

// FindSecrets returns a Finder that also knows the secrets in the private files of these commits, which are
// named by their whole hashes. It leaves out commits that are not here, as at the end of a shallow clone. It
// returns nil for a nil Finder.
func FindSecrets(
	ctx context.Context, known *redact.Finder, r git.Commits, of ...string,
) (*redact.Finder, error) {
	if known == nil {
		return nil, nil
	}
	var values []string
	for _, commit := range of {
		if !r.Has(commit) {
			continue
		}
		files, err := r.ListPaths(ctx, commit, func(string) bool { return false })
		if err != nil {
			return nil, err
		}
		for _, path := range files {
			if !IsPrivate(path) {
				continue
			}
			text, err := r.ReadFile(commit, path)
			if err != nil {
				return nil, err
			}
			values = append(values, redact.EnvValues(string(text[:min(len(text), maxRead)]))...)
		}
	}
	return known.With(values...), nil
}
