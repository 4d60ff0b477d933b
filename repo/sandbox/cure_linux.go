package sandbox

import (
	"errors"
	"os"
	"strings"
)

// unavailable is what of the kernel or its keepers stands in the way, with the cure.
func unavailable(kind string, err error) *Unavailable {
	var known *Unavailable
	if errors.As(err, &known) {
		return known
	}
	return &Unavailable{Kind: kind, Why: strings.TrimPrefix(strings.TrimSpace(err.Error()), "sandbox: "), Cure: cure(kind, err.Error(), factsOfHost())}
}

// hostFacts are the brakes on name spaces that a machine may have.
type hostFacts struct {
	container bool   // inside Docker, Podman or Kubernetes
	apparmor  bool   // Ubuntu's brake on unprivileged user name spaces
	clone     string // Debian's old brake
	spaces    string // how many user name spaces there may be
}

func factsOfHost() hostFacts {
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

// cure says what somebody can do about it.
func cure(kind, why string, f hostFacts) string {
	switch {
	case kind == KindBubblewrap && strings.Contains(why, "not installed"):
		return "install the package bubblewrap (apt-get install bubblewrap, dnf install bubblewrap)"
	case kind == KindGVisor && strings.Contains(why, "not installed"):
		return "install gVisor's runsc (https://gvisor.dev/docs/user_guide/install), or set sandbox.runsc to where it is"
	case kind == KindGVisor && strings.Contains(why, "runsc"):
		return "use gVisor's own build of runsc, of 2024 or newer: older ones, Debian's too, cannot run as a user that has no other users"
	case kind == KindDocker && !strings.Contains(why, "did not hold"):
		return "make this run: docker run --rm --network none --read-only --cap-drop ALL with the image; Bobbin has to be a static build, and at the same path for the engine"
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
