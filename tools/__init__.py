"""What the project needs to know about its dependencies: their licences, their faults, and a bill of materials."""
