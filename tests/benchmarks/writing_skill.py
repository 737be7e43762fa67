"""How well the model of ``RABBITHOLE_LLM`` writes, as an entry of ``writing_samples.json``.

    python -m tests.benchmarks.writing_skill

A call of the model for each sample. Nothing is kept.
"""

import asyncio
import datetime
import json

from agent.writing_skill import answers, share_proven
from services.cross_encoder import open_cross_encoder
from services.evidence.judge import Judge
from services.models.factory import make_model
from services.settings import Settings
from tests.benchmarks import common


async def main() -> None:
    common.arguments(__doc__).parse_args()
    settings = Settings()
    model = await make_model(settings)
    assert model is not None, "RABBITHOLE_LLM names no model"
    try:
        written = await answers(model, settings.call_deadline_s)
    finally:
        await model.close()
    judge = Judge(open_cross_encoder())
    entry = {
        "share": share_proven(written, judge),
        "judge": judge.name,
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "wrote": written,
    }
    print(json.dumps({model.name: entry}, ensure_ascii=False, indent=2))


if __name__ == "__main__":
    asyncio.run(main())
