"""What front ends call: a client, and the owner of the stores that carries its commands out."""
