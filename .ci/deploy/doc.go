// Package deploy tests the files of deploy and docker-compose.yml with the libraries of the programs that
// read them: helm, Kubernetes, Docker Compose and BuildKit. It is a separate module because these libraries
// are large. "make deployment" runs the tests.
package deploy
