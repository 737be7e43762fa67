"""The server of the app: Streamlit, and good order when it has ended.

    python -m app.server run app/streamlit_app.py

Takes the arguments of ``streamlit``.
"""

from app import server_exit


def main() -> None:
    from streamlit.web.cli import main as streamlit

    try:
        streamlit(prog_name="streamlit")
    finally:
        server_exit.close_all()


if __name__ == "__main__":
    main()
