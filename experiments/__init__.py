"""The study's measurements, each declared once: ``python -m experiments list``."""
