package packages

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// pom is a project with a test of JUnit in the version that Debian has.
const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>com.acme</groupId><artifactId>shop</artifactId><version>1.0</version>
  <properties>
    <maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
  </properties>
  <dependencies><dependency>
    <groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>VERSION</version>
    <scope>test</scope>
  </dependency></dependencies>
</project>
`

// mavenFiles are a project with two tests.
func mavenFiles(version string) files {
	return files{
		"pom.xml": strings.ReplaceAll(pom, "VERSION", version),
		"src/main/java/shop/Cart.java": "package shop; public class Cart {\n" +
			"public static int total(int a, int b) { return a + b; } }\n",
		"src/test/java/shop/CartTest.java": "package shop; import org.junit.jupiter.api.*;\n" +
			"class CartTest {\n" +
			"@Test void adds() { Assertions.assertEquals(3, Cart.total(1, 2)); }\n@Test void more() {} }\n",
	}
}

// TestMavenAsksTheProxy has the registry of Maven refused, which only the proxy can say.
func TestMavenAsksTheProxy(t *testing.T) {
	t.Parallel()
	able(t, box(t), "mvn --version")
	f, j, _ := fetching(t, box(t), mavenFiles("5.99.1"))
	j.Config.Allow = []string{registryHost}
	m := failure(t, f, j)
	require.Contains(t, m.Why, "was refused `repo.maven.apache.org`", m.Output)
	require.Contains(t, m.Allow, "repo.maven.apache.org")
}

// TestMavenTakesWhatDebianHas has no registry that answers. The packages come from Debian's repository, which
// is said, and the tests run with them. A version that is not there either is named.
func TestMavenTakesWhatDebianHas(t *testing.T) {
	t.Parallel()
	if os.Getenv("BOBBIN_EVERY") == "" {
		// Maven takes a minute of processor time, and is not installed on most machines.
		t.Skip("BOBBIN_EVERY runs it, with Debian's maven, libsurefire-java, " +
			"libmaven-compiler-plugin-java, libmaven-resources-plugin-java and junit5")
	}
	const installed = "/usr/share/maven-repo/org/junit/jupiter/junit-jupiter/5.9.2"
	if _, err := os.Stat(installed); err != nil {
		// There is no other repository for it to take the packages from.
		t.Skip(installed + " is not there: Debian's junit5 in that version is not installed")
	}
	s := box(t)
	tree := mavenFiles("5.9.2")
	f, j, _ := fetching(t, s, tree)
	p := fetch(t, f, j)
	require.Equal(t, []string{"pom.xml: from /usr/share/maven-repo instead of the registry"}, p.Instead())
	out, err := run(t, s, p, tree, "mvn -o -B test")
	require.NoError(t, err, out)
	require.Contains(t, out, "Tests run: 2, Failures: 0")
	require.NotEmpty(t, fetch(t, f, j).Instead(), "it is said of what was fetched earlier, too")

	f, j, _ = fetching(t, s, mavenFiles("5.99.1"))
	m := failure(t, f, j)
	require.Contains(t, m.Output,
		"/usr/share/maven-repo does not have org.junit.jupiter:junit-jupiter:jar:5.99.1")
}
