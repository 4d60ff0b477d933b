// Package deploy holds the files of deploy and docker-compose.yml to the libraries of those who read them: helm,
// Kubernetes, Docker Compose and BuildKit. It is a module of its own, since these are large: make deployment.
package deploy
