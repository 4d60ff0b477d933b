package sandbox

import (
	"errors"
	"os"
	"strings"

	"github.com/bobbinhq/bobbin/repo/sandbox/internal/backend"
)

// newUnavailable returns the error that the kind does not work because of err. b is nil if the kind could not
// be opened.
func newUnavailable(kind string, b backend.Backend, err error) *Unavailable {
	u := Unavailable{Why: strings.TrimPrefix(strings.TrimSpace(err.Error()), "sandbox: ")}
	if known := (*Unavailable)(nil); errors.As(err, &known) {
		u = *known
	}
	u.Kind = kind
	if u.Cure == "" && b != nil {
		u.Cure = b.Remedy(u.Why)
	}
	if u.Cure == "" {
		u.Cure = findCure(u.Why, readHostFacts())
	}
	return &u
}

// hostFacts are the restrictions on name spaces that a machine may have.
type hostFacts struct {
	container bool   // inside Docker, Podman or Kubernetes
	apparmor  bool   // Ubuntu's restriction of unprivileged user name spaces
	clone     string // Debian's older restriction
	spaces    string // maximum number of user name spaces
}

func readHostFacts() hostFacts {
	read := func(path string) string {
		b, _ := os.ReadFile(path)
		return strings.TrimSpace(string(b))
	}
	f := hostFacts{
		apparmor: read("/proc/sys/kernel/apparmor_restrict_unprivileged_userns") == "1",
		clone:    read("/proc/sys/kernel/unprivileged_userns_clone"),
		spaces:   read("/proc/sys/user/max_user_namespaces"),
	}
	for _, path := range []string{"/.dockerenv", "/run/.containerenv", "/var/run/secrets/kubernetes.io"} {
		if _, err := os.Stat(path); err == nil {
			f.container = true
		}
	}
	return f
}

// findCure returns a remedy for the reason why that does not depend on the kind.
func findCure(why string, f hostFacts) string {
	switch {
	case strings.Contains(why, "did not hold"):
		return "commands could get out here: use another kind of sandbox, and report this with the output of uname -a"
	case f.spaces == "0":
		return "allow user name spaces: sysctl -w user.max_user_namespaces=15000"
	case f.clone == "0":
		return "allow user name spaces: sysctl -w kernel.unprivileged_userns_clone=1"
	case strings.Contains(why, "does not know"), strings.Contains(why, "not implemented"):
		return "use Linux 5.13 or newer"
	case f.apparmor:
		return "Ubuntu's AppArmor forbids it: install the package bubblewrap together with an AppArmor profile that has userns for /usr/bin/bwrap, " +
			"or sysctl -w kernel.apparmor_restrict_unprivileged_userns=0"
	case f.container:
		return "this is a container: start it with docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined --security-opt systempaths=unconfined " +
			"(commands are confined by Bobbin's own filter), as in docker-compose.yml"
	}
	return "allow unprivileged user name spaces to this program, or set sandbox kind none to run commands unconfined"
}
